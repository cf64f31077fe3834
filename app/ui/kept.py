"""Parts of the screen that are drawn once, and sent again as they are until what they show changes.

A rerun draws all of a page, and most of what stands around it is what it was. Of such a part the
messages are kept and sent again: the browser gets what it would get anyway, the server builds
nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from streamlit.cursor import Cursor, get_container_cursor
from streamlit.delta_generator_singletons import context_dg_stack
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext, ThreadState

from glassformer.app.session import store

Ends = Mapping[int, int]  # how many elements there are, by root
HERE = -1  # the place where a part is drawn, among the roots: page, sidebar, style sheets


@dataclass(frozen=True)
class Part:
    """What drawing a part has sent, and what of Streamlit's books it has filled.

    of: what it shows, and where it stands. room: the elements that it takes, begin and end, there
    and at the roots. named: ids of its widgets and boxes; Streamlit forgets a widget whose id is
    not told. widgets: those that have a value. bound: the values that `store.bind` has given them.
    """

    of: tuple[object, ...]
    room: Mapping[int, tuple[int, int]]
    messages: tuple[ForwardMsg, ...]
    named: frozenset[str]
    widgets: tuple[str, ...]
    keys: frozenset[str]
    bound: Mapping[str, Any]

    def fits(self, context: ScriptRunContext, of: tuple[object, ...], ends: Ends) -> bool:
        """Whether it would be drawn as it was, and Streamlit has forgotten none of its widgets."""
        return (
            self.of == of
            and all(ends.get(root, 0) == begin for root, (begin, _) in self.room.items())
            and len(store.held_of(context, self.widgets)) == len(self.widgets)
            and store.are_bound(self.bound)
        )

    def send(self, context: ScriptRunContext, cursors: Mapping[int, Cursor]) -> None:
        """Send it again."""
        for widget in self.named:
            context.shared.widget_ids_this_run.check_and_add(widget)
        for key in self.keys:
            context.shared.widget_user_keys_this_run.check_and_add(key)
        for message in self.messages:
            context.enqueue(message)
        for root, (_, end) in self.room.items():
            cursor = cursors[root] if root in cursors else get_container_cursor(root)
            while cursor is not None and cursor.index < end:
                cursor.lock_element()


def keep(name: str, draw: Callable[[], object], *shows: object) -> None:
    """Draw a part, or send again what it sent last time.

    shows: all that it depends on; where nothing of that has changed, it is not drawn. What has a
    fragment in it, opens a dialog or asks whether a button was pressed cannot be kept; what its
    widgets call must not depend on the run (`call_latest` below).
    """
    context = get_script_run_ctx(suppress_warning=True)
    cursor = context_dg_stack.get()[-1]._cursor if context else None
    if context is None or cursor is None:
        draw()
        return
    kept, of = store.memory().kept, (ThreadState.get().fragment_id, *cursor.delta_path, *shows)
    cursors: dict[int, Cursor] = {HERE: cursor, **context.cursors}
    held: Part | None = kept.pop(name, None)
    if held is not None and held.fits(context, of, _ends(cursors)):
        held.send(context, cursors)
    else:
        held = _draw(context, cursor, draw, of)
    if held is not None:
        kept[name] = held


def call_latest(name: str, act: Callable[..., object]) -> Callable[..., None]:
    """What calls `act` as it was given last under that name: for widgets of parts that are kept."""
    acts = store.memory().acts
    acts[name] = act

    def called(*given: Any) -> None:
        acts[name](*given)

    return called


def _draw(
    context: ScriptRunContext, cursor: Cursor, draw: Callable[[], object], of: tuple[object, ...]
) -> Part | None:
    """None where it gives a widget another value than the browser has: that is said once."""
    shared, messages, send = context.shared, list[ForwardMsg](), context.enqueue
    widgets, keys = shared.widget_ids_this_run, shared.widget_user_keys_this_run
    before, keys_before = widgets.snapshot(), keys.snapshot()
    begins = _ends({HERE: cursor, **context.cursors})

    def note(message: ForwardMsg) -> None:
        send(message)
        messages.append(message)

    context.enqueue = note  # type: ignore[assignment, method-assign]
    try:
        with store.noting_binds() as bound:
            draw()
    finally:
        context.enqueue = send  # type: ignore[method-assign]
    if any(map(_gives_a_value, messages)):
        return None
    ends = _ends({HERE: cursor, **context.cursors})
    room = {root: (begins.get(root, 0), end) for root, end in ends.items()}
    room = {root: each for root, each in room.items() if each[0] != each[1]}
    named = widgets.snapshot() - before
    valued = store.held_of(context, named)
    return Part(of, room, tuple(messages), named, valued, keys.snapshot() - keys_before, bound)


def _ends(cursors: Mapping[int, Cursor]) -> dict[int, int]:
    return {root: cursor.index for root, cursor in cursors.items()}


def _gives_a_value(message: ForwardMsg) -> bool:
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    return kind is not None and getattr(getattr(element, kind), "set_value", False)
