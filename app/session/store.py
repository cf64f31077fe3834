"""The state of a session: the only writer of `st.session_state` and of the URL.

`State` itself, what it may hold and how it is clamped is in `state.py`.
"""

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.memory import Memory
from glassformer.app.session.state import State, clamp
from glassformer.core.lectures.links import PACKED, pack_query, unpack_query
from glassformer.core.trace.trace import Trace

BREAK = re.compile(r"\r\n?|\n")  # of a line
THE_READERS = ("language", "theme", "size", "precision", "mine")
HEARD = 2.0  # seconds, then a browser has heard of an address that it was told
PRESENTING = "presenting"  # in the query of a frame that is led by the presenter's page
Value = TypeVar("Value")

_run = threading.local()  # of the run in this thread: its context, and the state last seen in it


def get_state() -> State:
    """The state of this session; outside a session (tests, scripts) the defaults.

    Asked for some hundred times a run, it is looked up once: only `_write` changes it.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and getattr(_run, "context", None) is context:
        held: State = _run.state
        return held
    state: State = st.session_state.get("state", State())
    if "state" in st.session_state:
        _run.context, _run.state = context, state
    return state


def update(**changes: Any) -> None:
    """Change the state, in the session and in the URL; for callbacks of widgets.

    Errors: TypeError for a name that is not a field of `State`.
    """
    before = get_state()
    after = before.changed(**changes)
    if after != before:
        st.session_state["dropped"] = ()
    _write(after)


def begin_run() -> State:
    """The state at the start of a run: on a first visit what the link says.

    The browser's language counts where there is no link: a link opens the same screen for everyone.
    """
    _run.context = _run.remembering = None  # a run before it may have been of another state
    if "state" in st.session_state:
        return get_state()
    query = st.query_params.to_dict()
    memory().presented = PRESENTING in query
    spoken = (st.context.locale or "")[:2]
    if not query and spoken in LANGUAGES:
        query = {"language": spoken}
    return _adopt(query)


def sync(url_path: str) -> State:
    """Bring session and URL together once the page is known; call it after `begin_run`.

    The URL of the browser's back button wins. Otherwise the session does: a navigation link brings
    a bare URL, a click before the browser has heard of what was written last an old one.
    """
    query, context = st.query_params.to_dict(), get_script_run_ctx(suppress_warning=True)
    turned = st.session_state.get("page") != url_path
    st.session_state["page"] = url_path
    is_led_back = context is not None and context.is_history_navigation
    is_led_back, memory().goes_back = is_led_back or memory().goes_back, False
    if not is_led_back or query == st.session_state["written"] or (turned and not query):
        return _write(get_state())
    if time.monotonic() - memory().address_told > HEARD:
        # None is on its way to it. This one, told again, would undo a button pressed meanwhile.
        st.session_state["written"] = query
    return _adopt(query)


def still_wanted() -> None:
    """Ends this run, as any Streamlit call does, where a newer one is asked for or nobody waits."""
    st.session_state.get("state")


@contextmanager
def referring_to_recent_messages() -> Iterator[None]:
    """In a run: what the browser has is referred to only if one of the last runs sent it.

    The browser says with each request which messages it has kept, and forgets what was in none of
    the last `global.maxCachedMessageAge` runs whenever one ends: maybe between its request and the
    answer. A reference to a message that is gone ends its connection for good.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or "enqueue" in vars(context):  # a fragment inside of a run
        yield
        return
    sent = memory().sent
    context.cached_message_hashes &= frozenset().union(*sent)
    sent.append(set())
    send = context.enqueue

    def note(message: ForwardMsg) -> None:
        send(message)
        sent[-1].add(message.hash)

    context.enqueue = note  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        del context.enqueue


def page_on_screen() -> str:
    """The page on screen as its URL has it: "attention", …; "" for the first one."""
    path: str = st.session_state.get("page", "")
    return path


def follow_link(query: Mapping[str, str]) -> None:
    """Take over all that the link of a scene says; the reader's own settings stay."""
    own = get_state().to_query()
    _adopt({**query, **{name: own[name] for name in THE_READERS if name in own}})


def clamp_to_trace(trace: Trace) -> State:
    """Clamp the state to the trace on screen; what went is added to `dropped()`."""
    before = get_state()
    state, gone = clamp(before, trace)
    if gone:
        st.session_state["dropped"] = (*dropped_parameters(), *gone)
    return state if state == before else _write(state)


def open_on(kind: str, layer: int, head: int | None) -> None:
    """Put a page's own head in focus, as long as the reader has picked none."""
    if (state := get_state()).opens == "own":
        # Not `update`: the reader did nothing, so what the link could not give stays told.
        _write(state.changed(kind=kind, layer=layer, head=head))


def settle_lines() -> State:
    """Make a blank of each line break, for a model that reads one there; the link says it, too."""
    state = get_state()
    texts: dict[str, Any] = {
        name: BREAK.sub(" ", getattr(state, name)) for name in ("text", "text_pair", "second")
    }
    return _write(replace(state, **texts))


def settle_pair() -> State:
    """Make two fields of a text that a tab divides, for a model that reads pairs."""
    state = get_state()
    text, _, text_pair = state.text.partition("\t")
    return _write(replace(state, text=text, text_pair=text_pair))


def settle_step(steps: Sequence[int]) -> State:
    """Leave out a step of the training that is not among these; the last one is the end itself."""
    state = get_state()
    if not state.step or int(state.step) in steps[:-1]:
        return state
    if int(state.step) not in steps:
        st.session_state["dropped"] = (*dropped_parameters(), f"step={state.step}")
    return _write(replace(state, step=""))


def dropped_parameters() -> tuple[str, ...]:
    """The "name=value" of the link's parameters that could not be used, until the next change."""
    names: tuple[str, ...] = st.session_state.get("dropped", ())
    return names


def name_again(**names: str) -> None:
    """Other names in the link for what is on screen; what the link could not give stays told."""
    _write(replace(get_state(), **names))  # type: ignore[arg-type]


def drop(name: str, part: str | None = None, **changes: Any) -> None:
    """Leave out what a page finds that it cannot use of a field, and say so; run again after it.

    part: what is said of it, the field's value in the link unless told. changes: what the field
    holds without that part, its default unless told.
    """
    gone = get_state().to_query().get(name, "") if part is None else part
    default = getattr(State(), name)
    state = replace(get_state(), **({name: default} | changes))
    st.session_state["dropped"] = (*dropped_parameters(), f"{name}={gone}")
    _write(state)


def mark_dropped_read() -> None:
    """The reader has seen what could not be used."""
    st.session_state["dropped"] = ()


def link() -> dict[str, str]:
    """The query of a link to this screen, packed where it is long."""
    return pack_query(get_state().to_query())


def fields_not_linked() -> tuple[str, ...]:
    """The fields of the state that are too large for the link."""
    return tuple(sorted(get_state().given - unpack_query(link()).keys() - {"opens"}))


def memory() -> Memory:
    """What this session remembers that no link carries; like the state looked up once a run."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and getattr(_run, "remembering", None) is context:
        held: Memory = _run.memory
        return held
    if "memory" not in st.session_state:
        st.session_state["memory"] = Memory()
    found: Memory = st.session_state["memory"]
    _run.remembering, _run.memory = context, found
    return found


def once(make: Callable[[], Value], of: object, *key: object) -> Value:
    """What `make`, the one such function of its place, gave last in this session.

    Made anew where `of` is another object, or where another key is asked for.
    """
    made, name = memory().made, f"{make.__module__}.{make.__qualname__}"
    held = made.get(name)
    if held is None or held[0] is not of or held[1] != key:
        held = made[name] = (of, key, make())
    return cast(Value, held[2])


def bind(widget: str, value: Any, **default: Any) -> dict[str, Any]:
    """Arguments for a widget that shows the state's value: its key, and that value as its default.

    default: how this widget calls its default, where that is not `value`.

    Streamlit forgets a widget's value when the page changes; the state does not. The value is
    given under the key, which the browser is told once; where that message is overtaken by the
    next run's, before the widget is on screen, the browser shows the default.
    """
    key = f"widget_{widget}"
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    if (noted := getattr(_run, "binds", None)) is not None:
        noted[key] = value
    return {"key": key, **(default or {"value": value})}


@contextmanager
def noting_binds() -> Iterator[dict[str, Any]]:
    """What `bind` gives to widgets meanwhile, by their keys."""
    before, _run.binds = getattr(_run, "binds", None), {}
    try:
        yield _run.binds
    finally:
        _run.binds = before


def held_of(context: ScriptRunContext, widgets: Iterable[str]) -> tuple[str, ...]:
    """Those of these widgets, by their ids, of which Streamlit has a value."""
    return tuple(widget for widget in widgets if widget in context.session_state)


def are_bound(values: Mapping[str, Any]) -> bool:
    """Whether widgets have the values that `bind` has given them: nothing else has changed one."""
    return all(st.session_state.get(key) == value for key, value in values.items())


def widget_value(widget: str) -> Any:
    """What the user has just put into a widget that was bound with `bind`."""
    return st.session_state.get(f"widget_{widget}")


def trigger(component: str, event: str) -> Any:
    """What a component has just sent with `setTriggerValue(event, …)`, None if nothing."""
    sent = st.session_state.get(component)
    return None if sent is None else sent.get(event)


def _adopt(query: Mapping[str, str]) -> State:
    plain = unpack_query(query)
    state, gone = State.from_query(plain)
    damaged = (f"{PACKED}={plain[PACKED]}",) if PACKED in plain else ()
    st.session_state["dropped"] = (*damaged, *gone)
    return _write(state)


def _write(state: State) -> State:
    query = pack_query(state.to_query())
    # A click that comes before the browser has heard of the last change still names the URL before
    # it: what was written last counts, too, or an undo at once would leave the URL behind.
    moved = query != st.session_state.get("written", query)
    st.session_state["state"] = state
    _run.context, _run.state = get_script_run_ctx(suppress_warning=True), state
    st.session_state["written"] = query
    if moved or st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
        memory().address_told = time.monotonic()
    return state
