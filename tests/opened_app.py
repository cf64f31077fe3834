"""The app on one of its pages, without a browser."""

from streamlit.testing.v1 import AppTest

from app.state import State
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
