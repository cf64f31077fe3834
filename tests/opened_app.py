"""The app on one of its pages, without a browser."""

from typing import Any

from streamlit.testing.v1 import AppTest

from app.state import State, sections
from app.widgets.lab.inputs import listed
from core.trace.trace import Trace
from tests.architecture.sources import ROOT


def opened(page: str = "translate", /, **query: str) -> AppTest:
    """The app after its first run, opened with a link's parameters."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    if page != "translate":
        app.switch_page(f"app/views/{page}.py")
    app.run()
    assert not app.exception
    return app


def state_of(app: AppTest) -> State:
    """What the app would put into its link."""
    state: State = app.session_state["state"]
    return state


def drawn(app: AppTest) -> Trace:
    """The run that its page draws."""
    trace: Trace = app.session_state["kept_shown"].trace
    return trace


def typed_in_lab(app: AppTest, bench: str, **values: Any) -> AppTest:
    """The app after a reader has typed into a bench, as its component hands it over."""
    linked = {name: listed(value) for name, value in in_link(app, bench).items()}
    app.session_state[f"kept_lab_draft_{bench}"] = (linked, linked | values)
    app.run()
    assert not app.exception
    return app


def in_link(app: AppTest, bench: str) -> dict[str, Any]:
    """The inputs of a bench in the link."""
    return sections(state_of(app).inputs).get(bench, {})
