"""What the browser tells with a request, as its reader meant it.

Streamlit sends the values of all widgets with each request, and gathers what is told within a
moment into one. Two things would be lost so:

- Where one of the widgets stands in a fragment (`st.fragment`), only this fragment is drawn anew:
  the callbacks of all are called, and what a click beside it leads to is not shown. Our components
  ask by themselves for what will be needed next, so that a click falls into such a moment now and
  then.
- What the server has changed (the sentence, by a choice in the menu of examples) the browser has
  not heard of for a moment: a click elsewhere tells the value before, and that would be taken for
  typed.
"""

from collections.abc import Callable, Mapping, Set
from functools import wraps
from typing import TYPE_CHECKING, Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.session_state import SessionState, WStates

if TYPE_CHECKING:  # torch comes with it, and the port is to answer before
    from glassformer.app.session.memory import Memory

TRIGGERS = (
    "trigger_value", "string_trigger_value", "json_trigger_value", "chat_input_value",
)  # fmt: skip


def hear_whole_requests() -> None:
    """Do so from now on, in every session of this process."""
    AppSession._handle_rerun_script_request = _heard(  # type: ignore[method-assign]
        AppSession._handle_rerun_script_request
    )
    SessionState.on_script_will_rerun = _taken(  # type: ignore[method-assign]
        SessionState.on_script_will_rerun
    )


def _heard(usual: Callable[..., None]) -> Callable[..., None]:
    @wraps(usual)
    def handle(session: Any, request: ClientState | None = None) -> None:
        known: SessionState = session._session_state
        if request is not None and request.is_history_navigation and (memory := _memory(known)):
            memory.goes_back = True  # of a request that another overtakes Streamlit forgets it
        if request is not None and request.fragment_id:
            if request.is_auto_rerun:
                _drop_triggers(request)
            elif _tells_more(request, known):
                request.fragment_id = ""  # the whole page, and the fragment in it
        usual(session, request)

    return handle


def _memory(known: SessionState) -> "Memory | None":
    """None before the first run of a session."""
    return known._new_session_state.get("memory") or known._old_state.get("memory")


def _drop_triggers(request: ClientState) -> None:
    """What a clock of the browser asks has what was clicked just now, which is also sent itself."""
    told = request.widget_states.widgets
    kept = [each for each in told if each.WhichOneof("value") not in TRIGGERS]
    if len(kept) < len(told):
        del told[:]
        told.extend(kept)


def _tells_more(request: ClientState, known: SessionState) -> bool:
    """Whether a widget outside of the request's fragment was clicked or changed."""
    metadata, memory = known._new_widget_state.widget_metadata, _memory(known)
    before = memory.told if memory else {}
    return any(
        each.id in metadata
        and metadata[each.id].fragment_id != request.fragment_id
        and _is_new(each, known)
        and not _stood(each, before)
        for each in request.widget_states.widgets
    )


def _taken(usual: Callable[..., None]) -> Callable[..., None]:
    @wraps(usual)
    def begin(known: SessionState, told: WidgetStates | None, **more: Any) -> None:
        memory = _memory(known)
        if told is None or memory is None:  # the server itself asks for the run, or it is the first
            usual(known, told, **more)
        else:
            unheard = _unheard(told, known, memory)
            memory.told = {each.id: each.SerializeToString() for each in told.widgets}
            meant = [each for each in told.widgets if each.id not in unheard]
            usual(known, WidgetStates(widgets=meant), **more)
            _tell_again(unheard, known, memory)

    return begin


def _unheard(told: WidgetStates, known: SessionState, memory: "Memory") -> frozenset[str]:
    """Widgets, by their ids, that stand in the browser as they did while another was changed.

    One act makes one request: where something has changed since the browser told it last, or its
    back button was pressed, what it tells of the others is no choice of its reader, whatever the
    server holds by now. Where nothing else has, it is: what was there before has been picked again.
    """
    other = [each for each in told.widgets if _is_new(each, known)]
    stood = frozenset(each.id for each in other if _stood(each, memory.told))
    return stood if memory.goes_back or len(stood) < len(other) else frozenset()


def _tell_again(unheard: Set[str], known: SessionState, memory: "Memory") -> None:
    """Tell the browser their values in this run, too, in case that it draws no other of it.

    What comes within a moment it draws once, as the last run has it, and only one that sets a value
    says which.
    """
    for key in filter(None, map(known._key_id_mapper.id_key_mapping.get, unheard)):
        known._new_session_state[key] = known[key]
    for name in [name for name, part in memory.kept.items() if part.named & unheard]:
        del memory.kept[name]  # it would be sent as it was, without the value


def _stood(told: WidgetState, before: Mapping[str, bytes]) -> bool:
    """Whether it is in the browser what it was there when that told it last."""
    is_click = told.WhichOneof("value") in TRIGGERS
    return not is_click and told.SerializeToString() == before.get(told.id)


def _is_new(told: WidgetState, known: SessionState) -> bool:
    """Whether a widget that is on the page has another value than the server gives it."""
    if told.WhichOneof("value") in TRIGGERS:
        return True
    now = known._new_widget_state
    if (metadata := now.widget_metadata.get(told.id)) is None:
        return False
    read = WStates({}, {told.id: metadata})
    read.set_widget_from_proto(told)
    key = known._key_id_mapper.id_key_mapping.get(told.id)
    try:
        return bool(read[told.id] != known._getitem(told.id, key))
    except KeyError:  # the server has none
        return True
