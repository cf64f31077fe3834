"""What a rerun says on its way to the browser: many messages at once, what never changes made once.

Streamlit hands each message of a rerun to the server's loop by itself, which then is told that
there is one, looks whether it stands in for another one, and takes a turn to send it; and it writes
the theme anew at the start of each. With some hundred messages a rerun this is a good part of what
it costs. All is done here in Streamlit's own place, once a server.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.components.v2.bidi_component import main
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.state.session_state import Value

Fill = Callable[..., None]

NOTHING = Value(None)
TOGETHER = 50  # messages sent in one turn; a browser's queue holds ten times as many
_lock = threading.Lock()


def lighten_messages() -> None:
    """Do so from now on, in every session of this process."""
    for where, name, lighter in (
        (AppSession, "_on_scriptrunner_event", _gathering),
        (AppSession, "flush_browser_queue", _in_pieces),
        (Runtime, "_send_message", _in_one_turn),
        (main, "make_bidi_component_presenter", _seldom),
        (app_session, "_populate_theme_msg", _made_once),
        (app_session, "_populate_config_msg", _made_once),
    ):
        setattr(where, name, lighter(getattr(where, name)))


def _gathering(usual: Callable[..., None]) -> Callable[..., None]:
    """The messages of a run that the loop has not taken yet go to it in one piece.

    Whatever else a run tells ends the piece, so that all comes in the order in which it was told.
    """

    @wraps(usual)
    def heard(session: Any, sender: Any, event: ScriptRunnerEvent, **told: Any) -> None:
        if event != ScriptRunnerEvent.ENQUEUE_FORWARD_MSG:
            with _lock:
                session.gathered = None
            usual(session, sender, event, **told)
            return
        message = told["forward_msg"]
        with _lock:
            held = getattr(session, "gathered", None)
            if held is not None and held[0] is sender:
                held[1].append(message)
                return
            session.gathered = piece = (sender, [message])
        session._call_soon_on_event_loop(lambda: _pass_on(session, *piece))

    return heard


def _pass_on(session: Any, sender: Any, messages: list[Any]) -> None:
    with _lock:
        if (held := session.gathered) is not None and held[1] is messages:
            session.gathered = None
    if sender is not session._scriptrunner:
        return  # as Streamlit does with what a run says that was given up
    session._browser_queue._queue.extend(messages)
    session._message_enqueued_callback()


def _in_pieces(usual: Callable[..., list[Any]]) -> Callable[..., list[list[Any]]]:
    """What the loop takes from a session: pieces, each of which `_in_one_turn` sends."""

    @wraps(usual)
    def flush(session: AppSession) -> list[list[Any]]:
        messages = usual(session)
        return [messages[at : at + TOGETHER] for at in range(0, len(messages), TOGETHER)]

    return flush


def _in_one_turn(usual: Callable[..., None]) -> Callable[..., None]:
    @wraps(usual)
    def send(runtime: Runtime, whose: Any, piece: list[Any]) -> None:
        for message in piece:
            usual(runtime, whose, message)

    return send


def _seldom(usual: Callable[..., Any]) -> Callable[..., Any]:
    """A component that has told nothing in this run has the value that is kept of it.

    Streamlit makes a class for each look at a value, and looks at all of them in each run.
    """

    @wraps(usual)
    def make(aggregator: str, *given: Any, **named: Any) -> Callable[[object, Any], object]:
        present = usual(aggregator, *given, **named)

        def presented(kept: object, session_state: Any) -> object:
            told = session_state._new_widget_state.states.get(aggregator, NOTHING)
            return kept if told == NOTHING else present(kept, session_state)

        return presented

    return make


def _made_once(fill: Fill) -> Fill:
    """The same from the second time on: what the configuration says stays as it is."""
    made: dict[tuple[str, ...], Any] = {}

    @wraps(fill)
    def filled(message: Any, *given: str) -> None:
        if given not in made:
            found = type(message)()
            fill(found, *given)
            made[given] = found
        if made[given].ListFields():  # an empty one is left out, too
            message.MergeFrom(made[given])

    return filled
