"""What a step does and why, and its formula with this sentence's numbers: the column's words."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit

from glassformer.app.pages.walkthrough.figures.formula import equations, formula_in_numbers
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.panels.opening.on_file import why_not
from glassformer.app.plots.labels import MASK_FILLS, format_number, visible
from glassformer.app.runs import on_screen
from glassformer.app.ui.component import component
from glassformer.app.words import say, texts_of_language
from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.explain.provenance.node import Node
from glassformer.core.explain.provenance.run import Run
from glassformer.core.explain.steps.numbers import node_at
from glassformer.core.explain.steps.places import in_heads
from glassformer.core.explain.steps.steps import Step
from glassformer.core.explain.steps.wires import tensor, wire_axes
from glassformer.core.trace.sites import Axis
from glassformer.core.trace.tables import as_numpy

STRESSED = "§"  # where a word of the sentence goes, in bold


# Not in a shadow root: the style sheet of the formulas is the page's.
_explanation = component(__file__, "explanation", isolate_styles=False, scripts=("place.js",))


def show() -> None:
    """Make the place in which the browser writes."""
    _explanation("walk_words", {})


def text_of_step(focus: StepFocus) -> dict[str, Any]:
    """What is written of a step: its text with *stress* and **strong stress**, its formulas."""
    return {"text": step_sentences(focus)} | formula_data(focus)


def text_context() -> dict[str, Any]:
    """What the writing of every step needs."""
    return {"katex": katex_file()}


@cache
def katex_file() -> str:
    """The name of what sets the formulas of `st.markdown`, among the scripts that Streamlit serves.

    "" where there is none. Markdown itself would come only after an answer of the server.
    """
    scripts = Path(streamlit.__file__).parent / "static" / "static" / "js"
    return next((path.name for path in sorted(scripts.glob("rehype-katex.*.js"))), "")


def step_sentences(focus: StepFocus) -> str:
    """The sentences of the step in view, as markdown; a division also says what it did here."""
    sentences = [step_text(focus.trace.config, focus.step)]
    if focus.step.kind == "scale":
        sentences.append(say("walk_steps.scale_here", **_scores_here(focus)))
    return "\n\n".join(sentences)


def _scores_here(focus: StepFocus) -> dict[str, str]:
    """Variance of the chosen head's scores before and after √d_k, and their largest magnitude."""
    head, digits = focus.at(focus.output)["head"], focus.look.precision
    before, after = (
        as_numpy(tensor(focus.trace, wire))[0, head].astype(np.float64)
        for wire in (focus.step.inputs[0], focus.output)
    )
    found = {"before": before.var(), "after": after.var(), "largest": np.abs(after).max()}
    return {name: format_number(float(value), digits) for name, value in found.items()}


def step_text(config: ModelConfig, step: Step) -> str:
    """The sentences of a step of any model of this config, as markdown."""
    return say(f"walk_steps.{key_of(config, step)}", **_values(config, step))


def key_of(config: ModelConfig, step: Step) -> str:
    """The key of a step's text: the most special one that there is."""
    known = texts_of_language("en")
    return next((key for key in _keys(config, step) if f"walk_steps.{key}" in known), step.kind)


def _keys(config: ModelConfig, step: Step) -> Iterator[str]:
    """Place and convention, convention, place of a model of one stack, place."""
    kind, place = step.kind, f"{step.kind}.{step.place}"
    convention = {  # of the model, that the text depends on
        "embedding_scale": "" if config.embedding_scale else "off",
        "positions": config.positions,
        "sum": config.positions,
        "norm": "rms" if config.norm_kind == "rms" else config.norm_place,
        "final_norm": "rms" if config.norm_kind == "rms" else config.norm_place,
        "split": "" if config.key_heads == config.n_heads else "grouped",
        "scale": "" if config.score_scale else "off",
        "residual": config.norm_place,
        "activation": config.activation.partition("_")[0],
        "logits": "" if config.tie_generator else "untied",
    }.get(step.kind, "")
    yield from (f"{place}.{convention}", f"{kind}.{convention}")
    if not config.has_both:
        task = "alone" if config.decoder_layers else "blank"
        yield from (f"{place}.{task}", f"{kind}.{task}")
    yield place


def _values(config: ModelConfig, step: Step) -> dict[str, object]:
    """What the texts say of this model; a text takes what it needs."""
    config = config.of(step.stage)
    return {
        "heads": config.n_heads,
        # The heads side by side may be wider than the stream.
        "d_model": config.inner_width if step.kind in ("split", "concat") else config.d_model,
        "key_heads": config.key_heads,
        "shared": config.n_heads // config.key_heads,
        "d_k": config.d_k,
        "d_ff": config.d_ff,
        "words": config.vocabulary_size,
        "longest": config.max_length,
        "layer": (step.layer or 0) + 1,
        "fill": MASK_FILLS[config.mask_fill],
        "dropped": f"{config.dropout:.0%}",
    }


def formula_data(focus: StepFocus) -> dict[str, Any]:
    """The equations of a step and the chosen cell's numbers as LaTeX, what is said of them plain.

    notes: each the words before what is stressed, the stressed ones, and those after.
    """
    said = {
        "equations": equations(focus.step, focus.look),
        "cell": say("walk_steps.cell", where=cell_place(focus)),
    }
    try:
        run = Run(focus.trace, focus.model)
        found = node_at(run, focus.step, focus.at(focus.output), focus.line)
    except GlassformerError as error:
        if error.key != "file_model":
            raise
        # They are worked out with the model's weights.
        file = on_screen.file_on_screen()
        why = why_not(file.model_name if file else "")
        return said | {"numbers": "", "notes": [[why, "", ""]]}
    more = say("walk_steps.more")  # its place is filled where the terms are counted
    line = focus.step.lines[focus.line]
    printed = formula_in_numbers(run, found, line, focus.look, more)
    return said | {"numbers": printed, "notes": _notes(focus, found)}


def _notes(focus: StepFocus, found: Node) -> list[list[str]]:
    """The word that was chosen; the number that the run has, where a switch reached in here."""
    notes = []
    if focus.step.kind in ("choice", "given"):
        token = visible(focus.trace.output_tokens[found.cell.index[1]])
        before, after = say("walk_steps.writes", word=STRESSED).split(STRESSED)
        notes.append([before, token, after])
    if found.verdict in ("differs", "edited"):
        value = format_number(found.recorded, focus.look.precision)
        notes.append([say("walk_steps.differs", recorded=value), "", ""])
    return notes


def cell_place(focus: StepFocus) -> str:
    """Where the chosen cell stands, in words: "head 2, it → animal, feature 7"."""
    wire, at = focus.output, focus.at(focus.output)
    known = {axis.name: axis for axis in wire_axes(focus.trace, wire)}
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


def _features(focus: StepFocus) -> list[str]:
    """The feature, the hidden unit or the word of the vocabulary that the cell is of."""
    wire, at = focus.output, focus.at(focus.output)
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
    if in_heads(wire):
        head = at[name] // focus.config.d_k + 1
        return [say("walk_steps.in_head", feature=feature, head=head)]
    return [feature]


def _word(axis: Axis, place: int) -> str:
    return visible(axis.labels[place]) if axis.labels else str(place + 1)
