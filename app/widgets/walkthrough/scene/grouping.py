"""The split into heads and its merge: three arrangements of the same numbers, in words."""

from __future__ import annotations

from typing import Any

from app.figures.walk_blocks import blocks, form_of
from app.figures.walk_layout import symbol
from app.widgets.walkthrough import panels
from app.widgets.walkthrough.focus import Focus
from app.widgets.walkthrough.scene.wording import heads
from app.words import say
from core.trace.sites import site_at
from core.trace.tables import as_numpy
from core.walk.wires import Regrouping, Wire, axes, tensor


def blocks_of(focus: Focus) -> dict[str, Any]:
    """The arrangements of the regrouping in view, with what is done between two of them."""
    group = _regrouping(focus)
    wire = group.stages[-1] if not group.stages[-1].address.endswith("/concat") else group.stages[0]
    values = as_numpy(tensor(focus.trace, wire)[0])  # (H, T, K)
    stages = [_stage(focus, each) for each in group.stages]
    forms = ["joined" if each.address.endswith("/concat") else form_of(each.form)
             for each in group.stages]  # fmt: skip
    drawn = blocks(values, axes(focus.trace, wire), focus.at(wire), forms, focus.look)
    letter = axes(focus.trace, wire)[2].letter
    signs = [say(f"walkthrough.{name}", letter=letter) for name in group.operations]
    return {"blocks": {**drawn, "stages": stages, "signs": signs,
                       "heads": [each["name"] for each in heads(focus)]}}  # fmt: skip


def _regrouping(focus: Focus) -> Regrouping:
    return focus.step.regroupings[min(focus.line, len(focus.step.regroupings) - 1)]


def _stage(focus: Focus, wire: Wire) -> dict[str, Any]:
    apart = wire.form == "apart"
    letters = ", ".join(axis.letter for axis in axes(focus.trace, wire))
    return {
        "key": wire.key,
        "symbol": symbol(wire),
        "letters": f"({letters})",
        "address": say("walkthrough.apart") if apart else panels.address_of(wire),
        "shape": " × ".join(
            say(f"walkthrough.axis_{axis.name}", letter=axis.letter, size=axis.size)
            for axis in axes(focus.trace, wire)
        ),
        "colour": focus.look.colour(site_at(wire.address).role),
    }
