"""The app on one of its pages, without a browser."""

import json
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from google.protobuf.json_format import MessageToDict
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.util import calc_hash

from glassformer.app.pages.lab.inputs import tuples_as_lists
from glassformer.app.session.codecs import parse_sections
from glassformer.app.session.memory import Memory, Shown
from glassformer.app.session.state import State
from glassformer.app.ui import scripts
from glassformer.core.trace.trace import Trace
from tests.architecture.sources import ROOT

scripts.skip_installed_components()  # as the server does
# What a test writes into its URL counts, as what the back button leads to does in a browser.
local_script_runner.RerunData = partial(RerunData, is_history_navigation=True)  # type: ignore[assignment,misc]
# Each run of AppTest compiles the scripts anew, which a server does once.
app_test.ScriptCache = local_script_runner.ScriptCache = cache(ScriptCache)  # type: ignore[assignment,misc]


def opened(page: str = "translate", /, **query: str) -> AppTest:
    """The app after its first run, opened with a link's parameters."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    if page != "translate":
        app._page_hash = calc_hash(page)  # `switch_page` knows no URL before the first run
    app.run()
    assert not app.exception, [each.stack_trace for each in app.exception]
    return app


def texts_of(app: AppTest) -> Iterator[str]:
    """Every string that its page sends: of widgets, texts, components and charts."""
    blocks: list[Any] = [app._tree]
    while blocks:
        block = blocks.pop()
        blocks.extend(getattr(block, "children", {}).values())
        if (proto := getattr(block, "proto", None)) is None:
            continue
        drawn = {"bidi_component": "bytes", "plotly_chart": "spec"}.get(block.type)
        held = [json.loads(getattr(proto, drawn)) if drawn else MessageToDict(proto)]
        while held:
            value = held.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict | list):
                held.extend(value.values() if isinstance(value, dict) else value)


def state_of(app: AppTest) -> State:
    """What the app would put into its link."""
    state: State = app.session_state["state"]
    return state


def memory(app: AppTest) -> Memory:
    """What the app remembers beside its link."""
    found: Memory = app.session_state["memory"]
    return found


def on_screen(app: AppTest) -> Shown:
    """What its page found."""
    found = memory(app).shown
    assert found is not None
    return found


def drawn(app: AppTest) -> Trace:
    """The run that its page draws."""
    return on_screen(app).trace


def typed_in_lab(app: AppTest, bench: str, **values: Any) -> AppTest:
    """The app after a reader has typed into a bench, as its component hands it over."""
    linked = {name: tuples_as_lists(value) for name, value in in_link(app, bench).items()}
    memory(app).lab_drafts[bench] = (linked, linked | values)
    app.run()
    assert not app.exception
    return app


def in_link(app: AppTest, bench: str) -> dict[str, Any]:
    """The inputs of a bench in the link."""
    return parse_sections(state_of(app).inputs).get(bench, {})
