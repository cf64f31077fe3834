"""The formula of a step, and the same formula with this sentence's numbers for the chosen cell."""

from __future__ import annotations

from typing import Any

from app import service
from app.figures.labels import format_number, visible
from app.figures.walk_formula import equations, numbers
from app.widgets.walkthrough.focus import Focus
from app.words import say
from core.errors import GlassformerError
from core.trace.sites import Axis
from core.walk.numbers import worked
from core.walk.places import in_heads
from core.walk.wires import axes
from core.walk.worked import Worked

STRESSED = "§"  # where a word of the sentence goes, in bold


def formula_data(focus: Focus) -> dict[str, Any]:
    """The equations of a step and the chosen cell's numbers as LaTeX, what is said of them plain.

    notes: each the words before what is stressed, the stressed ones, and those after.
    """
    said = {
        "equations": equations(focus.step, focus.look),
        "cell": say("walk_steps.cell", where=where(focus)),
    }
    try:
        found = chosen(focus)
    except GlassformerError as error:
        if error.key != "file_model":
            raise
        return said | {"numbers": "", "notes": [[_without_model(), "", ""]]}
    more = say("walk_steps.more")  # its place is filled where the terms are counted
    return said | {"numbers": numbers(found, focus.look, more), "notes": _notes(focus, found)}


def _without_model() -> str:
    """Why a run from a file has no numbers here: they are worked out with the model's weights."""
    file = service.file()
    if file is None or file.model is not None:
        return say("opening.model_here")
    return say("opening.model_away", model=file.model_name or "–")


def chosen(focus: Focus) -> Worked:
    """The chosen cell of the step's output, worked out."""
    return worked(focus.trace, focus.step, focus.worked_at, focus.weights, focus.line)


def _notes(focus: Focus, found: Worked) -> list[list[str]]:
    """The word that was chosen; the number that the run has, where a switch reached in here."""
    notes = []
    if found.form in ("choice", "given"):
        token = visible(focus.trace.output_tokens[found.output.index[1]])
        notes.append(_stressed(say("walk_steps.writes", word=STRESSED), token))
    if not found.agrees:
        value = format_number(found.recorded, focus.look.precision)
        notes.append([say("walk_steps.differs", recorded=value), "", ""])
    return notes


def _stressed(template: str, token: str) -> list[str]:
    before, after = template.split(STRESSED)
    return [before, token, after]


def where(focus: Focus) -> str:
    """Where the chosen cell stands, in words: "head 2, it → animal, feature 7"."""
    wire, at = focus.output, focus.worked_at
    known = {axis.name: axis for axis in axes(focus.trace, wire)}
    parts = []
    if "head" in at:
        parts.append(say("walk_steps.head", head=at["head"] + 1))
    if "query" in at and "key" in at:
        words = {name: _word(known[name], at[name]) for name in ("query", "key")}
        parts.append(say("walk_steps.pair", **words))
    for name in ("position", "key", "query"):
        if name in at and not {"query", "key"} <= set(at):
            parts.append(_word(known[name], at[name]))
    return say("walk_steps.joint").join([*parts, *_features(focus)])


def _features(focus: Focus) -> list[str]:
    """The feature, the hidden unit or the word of the vocabulary that the cell is of."""
    wire, at = focus.output, focus.worked_at
    width = focus.trace.config.d_k
    if "vocabulary" in at:
        token = focus.trace.vocabulary[at["vocabulary"]]
        shown = visible(focus.trace.surfaces.get(token, token))
        return [say("walk_steps.word", word=shown)]
    if "hidden" in at:
        return [say("walk_steps.unit", index=at["hidden"] + 1)]
    name = "head_feature" if "head_feature" in at else "feature"
    if name not in at:
        return []
    feature = say("walk_steps.feature", index=at[name] + 1)
    if in_heads(wire) and "attention" in wire.address:
        return [say("walk_steps.in_head", feature=feature, head=at[name] // width + 1)]
    return [feature]


def _word(axis: Axis, place: int) -> str:
    return visible(axis.labels[place]) if axis.labels else str(place + 1)
