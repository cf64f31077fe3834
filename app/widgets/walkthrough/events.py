"""What the browser says of the reader's place: it owns the place and tells the server afterwards.

Every event names the step that the reader sees, whatever the server drew last, carries a number
of its own (`nonce`) by which the browser knows that it was heard, and says what the browser has
not yet got of the steps around (`lacks`, at a `version`).
"""

from __future__ import annotations

from typing import Any

from app import service, state
from app.widgets.walkthrough.focus import Focus, go
from core.walk.steps import step_by_id, walk

MOST = 12  # steps that are sent at once
REMEMBERED = 8  # events


def heard(component: str, event: str) -> Any:
    """What a component has just sent, None if nothing; the next `ahead.show` answers it."""
    value = state.trigger(component, event)
    if not value:
        return None
    state.keep("walk_heard", (*answers(), str(value.get("nonce", "")))[-REMEMBERED:])
    lacks = tuple(str(each) for each in value.get("lacks", ())[:MOST])
    here = str(value.get("step", ""))
    state.keep("walk_asked", (str(value.get("version", "")), here, lacks))
    return value


def arrived(component: str, event: str) -> Any:
    """The same of an event that happened at the step in the browser, which is gone to."""
    value = heard(component, event)
    if value and value.get("step", "") not in ("", Focus.current().step.id):
        go(str(value["step"]))
    return value


def answers() -> tuple[str, ...]:
    """The numbers of the events heard last."""
    known: tuple[str, ...] = state.kept("walk_heard", ())
    return known


def asked(focus: Focus) -> tuple[str, ...]:
    """Ids of the steps that the browser has not got: of this run alone, and answered once.

    Without a question, and where all that it has is out of date, the step in view.
    """
    version, here, lacks = state.kept("walk_asked", ("", "", ()))
    state.keep("walk_asked", ("", "", ()))
    if version == focus.version:
        return tuple(each for each in lacks if step_by_id(focus.every_step, each))
    known = step_by_id(walk(service.on_screen()), here)
    return (known.id if known else focus.step.id,)
