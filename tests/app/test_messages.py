"""Messages on their way to the browser: in pieces, in order, and the same as without."""

from types import SimpleNamespace
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.state.session_state import Value
from streamlit.web.server.starlette.starlette_server_config import WEBSOCKET_MAX_SEND_QUEUE_SIZE

from glassformer.app.server import messages

EVENT = ScriptRunnerEvent


class Session:
    """Stands for Streamlit's: notes what it is told, and when the loop is asked for something."""

    def __init__(self, runner: object) -> None:
        self._scriptrunner = runner
        self.told: list[Any] = []
        self.asked: list[Any] = []
        self.pieces = 0
        self._browser_queue = SimpleNamespace(_queue=self.told)

    def _call_soon_on_event_loop(self, act: Any) -> None:
        self.asked.append(act)

    def _message_enqueued_callback(self) -> None:
        self.pieces += 1

    def loop(self) -> None:
        """The loop does what it was asked for."""
        asked, self.asked = self.asked, []
        for each in asked:
            each()


def usual(session: Session, sender: object, event: EVENT) -> None:
    session._call_soon_on_event_loop(lambda: session.told.append(event))


def test_messages_come_in_pieces_and_in_order() -> None:
    session, heard = Session("runner"), messages._gathering(usual)
    for number in range(5):
        heard(session, "runner", EVENT.ENQUEUE_FORWARD_MSG, forward_msg=number)
    heard(session, "runner", EVENT.SCRIPT_STOPPED_WITH_SUCCESS)
    heard(session, "runner", EVENT.SCRIPT_STARTED)
    heard(session, "runner", EVENT.ENQUEUE_FORWARD_MSG, forward_msg=5)
    session.loop()
    heard(session, "runner", EVENT.ENQUEUE_FORWARD_MSG, forward_msg=6)
    session.loop()
    stopped, started = EVENT.SCRIPT_STOPPED_WITH_SUCCESS, EVENT.SCRIPT_STARTED
    assert session.told == [0, 1, 2, 3, 4, stopped, started, 5, 6]
    assert session.pieces == 3


def test_what_a_run_says_that_was_given_up_is_dropped() -> None:
    session, heard = Session("new"), messages._gathering(usual)
    for number, sender in enumerate(("old", "new", "old", "new")):
        heard(session, sender, EVENT.ENQUEUE_FORWARD_MSG, forward_msg=number)
    session.loop()
    assert session.told == [1, 3]


def test_the_loop_sends_in_few_turns_and_in_order() -> None:
    sent: list[tuple[str, int]] = []
    flush = messages._in_pieces(lambda _: list(range(2 * messages.TOGETHER + 1)))
    send = messages._in_one_turn(lambda _, whose, message: sent.append((whose, message)))
    pieces = flush(Session("runner"))
    for piece in pieces:
        send("runtime", "hers", piece)
    assert len(pieces) == 3
    assert sent == [("hers", number) for number in range(2 * messages.TOGETHER + 1)]
    assert WEBSOCKET_MAX_SEND_QUEUE_SIZE >= 4 * messages.TOGETHER


def _theme(fill: Any) -> bytes:
    found = ForwardMsg().new_session
    places = [found.custom_theme, found.custom_theme.sidebar, found.custom_theme.light]
    places += [found.custom_theme.dark, found.custom_theme.light.sidebar]
    sections = ("theme", "theme.sidebar", "theme.light", "theme.dark", "theme.light.sidebar")
    for place, section in zip(places, sections, strict=True):
        fill(place, section)
    return found.SerializeToString(deterministic=True)


def test_the_theme_that_is_made_once_is_the_theme() -> None:
    plain = app_session._populate_theme_msg
    once = messages._made_once(plain)
    assert _theme(once) == _theme(once) == _theme(plain) != b""


def test_a_component_that_has_told_nothing_is_not_looked_into() -> None:
    looks: list[str] = []

    def usual(aggregator: str) -> Any:
        return lambda kept, session: looks.append(aggregator) or {**kept, "pick": 3}

    present = messages._seldom(usual)("events")
    states: dict[str, Any] = {}
    session = SimpleNamespace(_new_widget_state=SimpleNamespace(states=states))
    assert present({"a": 1}, session) == {"a": 1}
    states["events"] = Value(None)  # as it is after each run
    assert present({"a": 1}, session) == {"a": 1} and not looks
    states["events"] = Value([{"event": "pick", "value": 3}])
    assert present({"a": 1}, session) == {"a": 1, "pick": 3} and looks == ["events"]


def test_streamlit_still_has_what_is_done_in_its_place() -> None:
    messages.lighten_messages()
    assert callable(AppSession._call_soon_on_event_loop)
    held = {"_browser_queue", "_scriptrunner", "_message_enqueued_callback"}
    assert held <= set(AppSession.__init__.__code__.co_names)
    queue = ForwardMsgQueue()
    queue._queue.extend([ForwardMsg(), ForwardMsg()])
    assert len(queue.flush()) == 2 and queue.is_empty()
    loop = set(Runtime._loop_coroutine.__code__.co_names)
    assert {"flush_browser_queue", "_send_message"} <= loop
