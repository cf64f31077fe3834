"""What a request of the browser is taken for: of a fragment, and of what it has not yet heard."""

import json
import time
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import local_script_runner

from glassformer.app.server import rerun_requests
from glassformer.app.session.memory import Memory
from tests.opened_app import opened, state_of

ASKED = WidgetState(id="ask", json_trigger_value=json.dumps([{"event": "ask", "value": 1}]))
PRESSED = WidgetState(id="button", trigger_value=True)
LEFT_ALONE = WidgetState(id="digits", int_value=3)
CHANGED = WidgetState(id="digits", int_value=2)
EIGHT = WidgetState(id="digits", int_value=8)
UNKNOWN = WidgetState(id="of a page that is gone", int_value=2)


@pytest.fixture
def known() -> SessionState:
    """A page with a fragment that asks, and beside it a button and a number of digits, three."""
    state = SessionState()
    for name, fragment in (("ask", "answers"), ("button", None), ("digits", None)):
        metadata = WidgetMetadata(name, lambda value: value, lambda value: value, "int_value",
                                  fragment_id=fragment)  # fmt: skip
        state._new_widget_state.set_widget_metadata(metadata)
    state._new_widget_state.set_from_value("digits", 3)
    state._key_id_mapper["widget_digits"] = "digits"
    state._old_state["memory"] = Memory()
    return state


def heard(known: SessionState, *told: WidgetState, clock: bool = False) -> ClientState:
    requests: list[ClientState] = []
    handle = rerun_requests._heard(lambda _session, request: requests.append(request))
    request = ClientState(fragment_id="answers", is_auto_rerun=clock)
    request.widget_states.widgets.extend(told)
    handle(SimpleNamespace(_session_state=known), request)
    return requests[0]


@pytest.mark.parametrize(
    ("beside", "fragment"),
    [([], "answers"), ([LEFT_ALONE], "answers"), ([UNKNOWN], "answers"), ([CHANGED], ""),
     ([LEFT_ALONE, PRESSED], "")],
)  # fmt: skip
def test_the_whole_page_runs_where_more_was_told(
    known: SessionState, beside: list[WidgetState], fragment: str
) -> None:
    for told in ([ASKED, *beside], [*beside, ASKED]):
        assert heard(known, *told).fragment_id == fragment
    assert heard(known, ASKED, *beside).widget_states.widgets[1:] == beside


def test_what_stands_there_as_it_did_is_no_click(known: SessionState) -> None:
    begin = rerun_requests._taken(lambda _known, _told: None)
    begin(known, WidgetStates(widgets=[CHANGED]))  # an eight of the server's is on its way
    known._new_session_state["widget_digits"] = 8
    assert heard(known, ASKED, CHANGED).fragment_id == "answers"
    assert heard(known, ASKED, LEFT_ALONE).fragment_id == ""


def test_a_clock_takes_no_click_with_it(known: SessionState) -> None:
    """The click comes by itself a moment later: its callback would be called twice."""
    request = heard(known, PRESSED, CHANGED, ASKED, clock=True)
    assert request.fragment_id == "answers"
    assert list(request.widget_states.widgets) == [CHANGED]


def test_the_back_button_is_noted_until_a_run_follows_it(
    known: SessionState, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = known["memory"]
    handle = rerun_requests._heard(lambda _session, _request: None)
    for goes_back in (False, True):
        request = ClientState(is_history_navigation=goes_back)
        handle(SimpleNamespace(_session_state=known), request)
        assert memory.goes_back is goes_back
    app = opened(text="I like you")
    monkeypatch.setattr(local_script_runner, "RerunData", RerunData)  # as of a click
    app.query_params["text"] = "I have a cat"  # the URL before
    app.run()
    assert state_of(app).text == app.query_params["text"] == "I like you"
    for text in ("I like you", "I have a cat"):  # the first is of a click before it
        app.session_state["memory"].goes_back = True
        app.query_params["text"] = text
        app.run()
        assert state_of(app).text == text
    assert not app.session_state["memory"].goes_back


def test_an_address_gone_back_to_is_told_again_only_while_another_may_be_on_its_way() -> None:
    app = opened(text="I like you")
    memory: Memory = app.session_state["memory"]
    for text, told in (("I have a cat", 0.0), ("I like cats", time.monotonic())):
        memory.address_told = told
        app.query_params["text"] = text
        app.run()
        assert state_of(app).text == text
        assert (memory.address_told > told) == (told > 0)


@pytest.mark.parametrize(
    ("told", "goes_back", "taken"),
    [([LEFT_ALONE, PRESSED], False, [PRESSED]),  # the server's eight is on its way
     ([LEFT_ALONE, PRESSED, ASKED], False, [PRESSED, ASKED]),
     ([LEFT_ALONE], False, [LEFT_ALONE]),  # picked again
     ([LEFT_ALONE], True, []),
     ([CHANGED, PRESSED], False, [CHANGED, PRESSED]),
     ([CHANGED], True, [CHANGED]),
     ([EIGHT, PRESSED], False, [EIGHT, PRESSED]),
     ([LEFT_ALONE, UNKNOWN], False, [LEFT_ALONE, UNKNOWN])],
)  # fmt: skip
def test_what_the_browser_has_not_heard_of_is_not_undone(
    known: SessionState, told: list[WidgetState], goes_back: bool, taken: list[WidgetState]
) -> None:
    requests: list[WidgetStates] = []
    begin = rerun_requests._taken(lambda _known, told: requests.append(told))
    memory = known["memory"]
    memory.kept = {name: SimpleNamespace(named={name}) for name in ("digits", "button")}
    begin(known, WidgetStates(widgets=[LEFT_ALONE]))
    known._new_session_state["widget_digits"] = 8
    begin(known, None)  # a run that the server itself has asked for
    known._new_session_state.clear()
    known._new_widget_state.set_from_value("digits", 8)
    memory.goes_back = goes_back
    begin(known, WidgetStates(widgets=told))
    told_again = LEFT_ALONE in told and LEFT_ALONE not in taken
    assert known._new_session_state == ({"widget_digits": 8} if told_again else {})
    assert list(memory.kept) == (["button"] if told_again else ["digits", "button"])
    assert requests == [WidgetStates(widgets=[LEFT_ALONE]), None, WidgetStates(widgets=taken)]


def test_streamlit_still_has_what_is_done_in_its_place() -> None:
    name, begins = "_handle_rerun_script_request", "on_script_will_rerun"
    usual, begin = getattr(AppSession, name), getattr(SessionState, begins)
    rerun_requests.hear_whole_requests()
    assert getattr(AppSession, name) is not usual
    assert getattr(SessionState, begins) is not begin
    assert name in AppSession.handle_backmsg.__code__.co_names
