"""What the browser side of a component sends, without a browser."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def data_of(app: AppTest, component: str) -> dict[str, Any]:
    """What a component was given to draw."""
    parsed: dict[str, Any] = json.loads(_proto(app, component).bytes)
    return parsed


def send(app: AppTest, component: str, event: str, value: dict[str, Any]) -> AppTest:
    """The app after a component has called `setTriggerValue(event, value)`."""
    states = app._tree.get_widget_states()
    sent = states.widgets.add()
    sent.id = f"$$STREAMLIT_INTERNAL_KEY_{_proto(app, component).id}__events"
    sent.json_trigger_value = json.dumps([{"event": event, "value": value}])
    app._run(states)
    assert not app.exception
    return app


def _proto(app: AppTest, component: str) -> Any:
    found = [element.proto for element in app.get("bidi_component")]
    return next(proto for proto in found if proto.component_name.endswith(f"_{component}"))
