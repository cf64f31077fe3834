"""What a step does, why, and what would go wrong without it: the words of the column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from app.figures.labels import format_number
from app.widgets.walkthrough.focus import Focus
from app.words import say
from core.config import ModelConfig
from core.trace.tables import as_numpy
from core.walk.steps import Step
from core.walk.wires import tensor

# The places and conventions at which a step has a text of its own; elsewhere its kind has one.
SPECIAL = frozenset({
    "lookup.target", "embedding_scale.off", "positions.learned", "sum.none", "sum.target",
    "norm.pre", "norm.encoder_feed_forward.post", "norm.decoder_self_attention.post",
    "norm.decoder_cross_attention.post", "norm.decoder_feed_forward.post", "final_norm.decoder",
    "final_norm.post",
    "project.decoder_self_attention", "project.decoder_cross_attention",
    "scores.decoder_self_attention", "scores.decoder_cross_attention",
    "mask.decoder_self_attention", "mask.decoder_cross_attention",
    "softmax.decoder_self_attention", "softmax.decoder_cross_attention",
    "context.decoder_self_attention", "context.decoder_cross_attention",
    "output.decoder_cross_attention",
    "residual.pre", "residual.encoder_feed_forward", "residual.decoder_cross_attention",
    "expand.decoder_feed_forward", "activation.gelu", "logits.untied",
})  # fmt: skip


def text(focus: Focus) -> str:
    """The sentences of the step in view, as markdown; a division also says what it did here."""
    sentences = [step_text(focus.trace.config, focus.step)]
    if focus.step.kind == "scale":
        sentences.append(say("walk_steps.scale_here", **_scores_here(focus)))
    return "\n\n".join(sentences)


def _scores_here(focus: Focus) -> dict[str, str]:
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
    return next((key for key in _keys(config, step) if key in SPECIAL), step.kind)


def _keys(config: ModelConfig, step: Step) -> Iterator[str]:
    """Place and convention, convention, place."""
    place, kind = step.text_keys
    convention = _convention(config, step)
    yield from (f"{place}.{convention}", f"{kind}.{convention}", place)


def _convention(config: ModelConfig, step: Step) -> str:
    """The convention of the model that a step's text depends on, "" where it depends on none."""
    return {
        "embedding_scale": "" if config.embedding_scale else "off",
        "positions": config.positions,
        "sum": config.positions,
        "norm": config.norm_place,
        "final_norm": config.norm_place,
        "residual": config.norm_place,
        "activation": config.activation.partition("_")[0],
        "logits": "" if config.tie_generator else "untied",
    }.get(step.kind, "")


def _values(config: ModelConfig, step: Step) -> dict[str, object]:
    """What the texts say of this model; a text takes what it needs."""
    return {
        "heads": config.n_heads,
        "d_model": config.d_model,
        "d_k": config.d_k,
        "d_ff": config.d_ff,
        "words": config.vocabulary_size,
        "longest": config.max_length,
        "layer": (step.layer or 0) + 1,
        "fill": "−10⁹" if config.mask_fill == "large_negative" else "−∞",
        "dropped": f"{config.dropout:.0%}",
    }
