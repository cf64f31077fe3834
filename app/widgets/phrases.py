"""Switches in the reader's language: one readable piece each, and an experiment as one line.

The pieces are plain text that may hold what a link or a sentence brought: `literal` it in
markdown, `textContent` in components.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.figures.labels import MINUS, visible
from app.widgets.phrase_places import Speaker, sides
from app.words import say
from core.edits import Experiment, concepts, conventions, heads, masks, tensors
from core.edits.cells import cells_of
from core.edits.switch import Switch

BETWEEN = " · "
LONGEST_SENTENCE = 40


def phrase(
    switch: Switch, language: str | None = None, words: Mapping[str, Sequence[str]] | None = None
) -> str:
    """One readable piece: "heads 2, 3 of encoder layer 1 off", "编码器第 1 层第 2、3 头关闭".

    language: None for the session's. words: of the run on screen, to name single positions by.
    """
    make = PHRASES.get(type(switch))
    return make(switch, Speaker(language, words or {})) if make else switch.text


def line(experiment: Experiment, language: str | None = None) -> str:
    """All pieces of an experiment; "" for an empty one."""
    return BETWEEN.join(phrase(each, language) for each in experiment.switches)


def _number(value: float) -> str:
    """As given, with a true minus: "0.5", "−3"."""
    return f"{value:g}".replace("-", MINUS)


def _heads_off(switch: heads.HeadsOff, who: Speaker) -> str:
    subject = who.heads(switch.where, switch.heads)
    return say(f"edits.heads_off_{switch.way}", who.language, heads=subject)


def _heads_alone(switch: heads.HeadsAlone, who: Speaker) -> str:
    subject = who.heads(switch.where, switch.heads)
    return say(f"edits.heads_alone_{switch.way}", who.language, heads=subject)


def _heads_swapped(switch: heads.HeadsSwapped, who: Speaker) -> str:
    subject = who.heads(switch.where, switch.heads)
    return say(f"edits.heads_swapped_{switch.what}", who.language, heads=subject)


def _heads_frozen(switch: heads.HeadsFrozen, who: Speaker) -> str:
    subject = who.attention(switch.where, switch.heads)
    return say(f"edits.heads_frozen_{switch.to}", who.language, heads=subject)


def _heads_redirected(switch: heads.HeadsRedirected, who: Speaker) -> str:
    given: dict[str, Any] = {"heads": who.attention(switch.where, switch.heads)}
    rows_are, keys_are = sides(switch.where)
    given["key"] = who.position([switch.key], keys_are)
    if not switch.rows:
        return say("edits.heads_redirected_all", who.language, **given)
    rows = who.position(switch.rows, rows_are)
    return say("edits.heads_redirected_rows", who.language, **given, rows=rows)


def _padding_off(switch: masks.PaddingOff, who: Speaker) -> str:
    return say(f"edits.padding_off_{switch.side}", who.language)


def _causal(switch: masks.Causal, who: Speaker) -> str:
    piece = say(f"edits.causal_{'on' if switch.on else 'off'}", who.language)
    if switch.where == masks.DECODER_SELF:
        return piece
    return _in(piece, switch.where, "attention", who)


def _fill(switch: masks.Fill, who: Speaker) -> str:
    return say(f"edits.mask_fill_{switch.fill}", who.language)


def _band(switch: masks.Band, who: Speaker) -> str:
    subject = who.attention(switch.where, switch.heads)
    if switch.low == switch.high == 0:
        return say("edits.band_itself", who.language, heads=subject)
    if switch.low == -switch.high == -1:
        return say("edits.band_neighbours", who.language, heads=subject)
    low, high = _signed(switch.low), _signed(switch.high)
    return say("edits.band", who.language, heads=subject, low=low, high=high)


def _signed(offset: int) -> str:
    return f"{offset:+d}".replace("-", MINUS) if offset else "0"


def _lines(switch: masks.Lines, who: Speaker) -> str:
    pieces = []
    both = (("row", switch.rows), ("column", switch.columns))
    for (name, indices), side in zip(both, sides(switch.where), strict=True):
        if indices:
            many = "one" if len(indices) == 1 else "many"
            numbers = who.position(indices, side)
            pieces.append(say(f"edits.lines_{name}_{many}", who.language, numbers=numbers))
    subject = who.attention(switch.where, switch.heads)
    what = say("edits.comma", who.language).join(pieces) or say("edits.nothing", who.language)
    return say("edits.lines", who.language, heads=subject, lines=what)


def _painted(switch: masks.Painted, who: Speaker) -> str:
    pieces = []
    for name, spans in (("hidden", switch.hidden), ("shown", switch.shown)):
        if count := len(cells_of(spans)):
            many = "one" if count == 1 else "many"
            pieces.append(say(f"edits.painted_{name}_{many}", who.language, count=count))
    subject = who.attention(switch.where, switch.heads)
    what = say("edits.comma", who.language).join(pieces) or say("edits.nothing", who.language)
    return say("edits.painted", who.language, heads=subject, cells=what)


def _unscaled(switch: concepts.Unscaled, who: Speaker) -> str:
    return _in(say("edits.unscaled", who.language), switch.where, "attention", who)


def _temperature(switch: concepts.Temperature, who: Speaker) -> str:
    piece = say("edits.temperature", who.language, by=_number(switch.by))
    return _in(piece, switch.where, "attention", who)


def _sublayer_off(switch: concepts.SublayerOff, who: Speaker) -> str:
    return say("edits.off", who.language, place=who.place(switch.where))


def _residual_off(switch: concepts.ResidualOff, who: Speaker) -> str:
    return say("edits.residual_off", who.language, place=who.place(switch.where))


def _norm_off(switch: concepts.NormOff, who: Speaker) -> str:
    return say("edits.off", who.language, place=who.place(switch.where, "norm"))


def _in(piece: str, where: str, parts: str, who: Speaker) -> str:
    """A piece, and where it holds unless everywhere."""
    if where == "*":
        return piece
    return say("edits.in", who.language, piece=piece, place=who.place(where, parts))


def _shuffled(switch: concepts.Shuffled, who: Speaker) -> str:
    return say("edits.positions_shuffled", who.language, seed=switch.draw)


def _positions(switch: conventions.PositionTable, who: Speaker) -> str:
    return say(f"edits.positions_{switch.variant}", who.language)


def _embedding_scale(switch: conventions.EmbeddingScale, who: Speaker) -> str:
    return say(f"edits.embedding_scale_{'on' if switch.on else 'off'}", who.language)


def _norm_formula(switch: conventions.NormFormulaIs, who: Speaker) -> str:
    piece = say(f"edits.norm_formula_{switch.formula}", who.language)
    if switch.epsilon is None:
        return piece
    return say("edits.norm_epsilon", who.language, piece=piece, epsilon=_number(switch.epsilon))


def _norm_place(switch: conventions.NormPlaceIs, who: Speaker) -> str:
    piece = say(f"edits.norm_place_{switch.place}", who.language)
    if switch.final_norm is None:
        return piece
    final = "with" if switch.final_norm else "without"
    return say(f"edits.norm_place_{final}_final", who.language, piece=piece)


def _activation(switch: conventions.ActivationIs, who: Speaker) -> str:
    return say(f"edits.activation_{switch.name}", who.language)


def _dropout(switch: conventions.Dropout, who: Speaker) -> str:
    rate = f"{100 * switch.rate:g}"
    return say("edits.dropout", who.language, rate=rate, seed=switch.draw)


def _set(switch: tensors.TensorSet, who: Speaker) -> str:
    cells = who.cells(switch.address, switch.at)
    return say("edits.set", who.language, cells=cells, value=_number(switch.value))


def _scale(switch: tensors.TensorScale, who: Speaker) -> str:
    cells = who.cells(switch.address, switch.at)
    return say("edits.scale", who.language, cells=cells, by=_number(switch.by))


def _noise(switch: tensors.TensorNoise, who: Speaker) -> str:
    cells, spread = who.cells(switch.address, switch.at), _number(switch.spread)
    return say("edits.noise", who.language, cells=cells, spread=spread, seed=switch.draw)


def _patch(switch: tensors.TensorPatch, who: Speaker) -> str:
    words = [visible(word) for word in switch.sentence.split()]
    sentence = " ".join(words)
    if len(sentence) > LONGEST_SENTENCE:
        sentence = f"{sentence[: LONGEST_SENTENCE - 1]}…"
    cells = who.cells(switch.address, switch.at)
    return say("edits.patch", who.language, cells=cells, sentence=sentence)


PHRASES: dict[type[Switch], Callable[[Any, Speaker], str]] = {
    heads.HeadsOff: _heads_off,
    heads.HeadsAlone: _heads_alone,
    heads.HeadsSwapped: _heads_swapped,
    heads.HeadsFrozen: _heads_frozen,
    heads.HeadsRedirected: _heads_redirected,
    masks.PaddingOff: _padding_off,
    masks.Causal: _causal,
    masks.Fill: _fill,
    masks.Band: _band,
    masks.Lines: _lines,
    masks.Painted: _painted,
    concepts.Unscaled: _unscaled,
    concepts.Temperature: _temperature,
    concepts.SublayerOff: _sublayer_off,
    concepts.ResidualOff: _residual_off,
    concepts.NormOff: _norm_off,
    concepts.Shuffled: _shuffled,
    conventions.PositionTable: _positions,
    conventions.EmbeddingScale: _embedding_scale,
    conventions.NormFormulaIs: _norm_formula,
    conventions.NormPlaceIs: _norm_place,
    conventions.ActivationIs: _activation,
    conventions.Dropout: _dropout,
    tensors.TensorSet: _set,
    tensors.TensorScale: _scale,
    tensors.TensorNoise: _noise,
    tensors.TensorPatch: _patch,
}
