"""Switches in the reader's language: one readable piece each, and an experiment as one line.

The pieces are plain text that may hold what a link or a sentence brought: `literal` it in
markdown, `textContent` in components.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from glassformer.app.panels.address_words import Speaker, word_sides
from glassformer.app.plots.labels import MINUS, shorten_text, visible
from glassformer.core.interventions import Experiment, concepts, heads, masks, tensors
from glassformer.core.interventions.masks import cells_of
from glassformer.core.interventions.switch import Switch

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


def experiment_line(experiment: Experiment, language: str | None = None) -> str:
    """All pieces of an experiment; "" for an empty one."""
    return BETWEEN.join(phrase(each, language) for each in experiment.switches)


def _number(value: float) -> str:
    """As given, with a true minus: "0.5", "−3"."""
    return f"{value:g}".replace("-", MINUS)


def _signed(offset: int) -> str:
    return f"{offset:+d}".replace("-", MINUS) if offset else "0"


def _in(piece: str, where: str, who: Speaker, usual: str = "*") -> str:
    """A piece, and at which attentions it holds unless everywhere, or where it usually does."""
    if where in ("*", usual):
        return piece
    return who.say("edits.in", piece=piece, place=who.place(where, "attention"))


def _redirected(switch: heads.HeadsRedirected, who: Speaker) -> str:
    rows_are, keys_are = word_sides(switch.where)
    return who.say(
        "edits.heads_redirected_rows" if switch.rows else "edits.heads_redirected_all",
        heads=who.attention(switch.where, switch.heads),
        key=who.position([switch.key], keys_are),
        rows=who.position(switch.rows, rows_are),
    )


def _causal(switch: masks.Causal, who: Speaker) -> str:
    piece = who.say("edits.causal_on" if switch.on else "edits.causal_off")
    return _in(piece, switch.where, who, masks.DECODER_SELF)


def _band(switch: masks.Band, who: Speaker) -> str:
    subject = who.attention(switch.where, switch.heads)
    if switch.low == switch.high == 0:
        return who.say("edits.band_itself", heads=subject)
    if switch.low == -switch.high == -1:
        return who.say("edits.band_neighbours", heads=subject)
    return who.say("edits.band", heads=subject, low=_signed(switch.low), high=_signed(switch.high))


def _many(count: int) -> str:
    return "one" if count == 1 else "many"


def _lines(switch: masks.Lines, who: Speaker) -> str:
    both = (("row", switch.rows), ("column", switch.columns))
    pieces = [
        who.say(f"edits.lines_{name}_{_many(len(at))}", numbers=who.position(at, side))
        for (name, at), side in zip(both, word_sides(switch.where), strict=True)
        if at
    ]
    subject = who.attention(switch.where, switch.heads)
    return who.say("edits.lines", heads=subject, lines=who.listed(pieces))


def _painted(switch: masks.Painted, who: Speaker) -> str:
    counts = {"hidden": len(cells_of(switch.hidden)), "shown": len(cells_of(switch.shown))}
    pieces = [
        who.say(f"edits.painted_{name}_{_many(count)}", count=count)
        for name, count in counts.items()
        if count
    ]
    subject = who.attention(switch.where, switch.heads)
    return who.say("edits.painted", heads=subject, cells=who.listed(pieces))


def _norm_formula(switch: concepts.NormFormulaIs, who: Speaker) -> str:
    piece = who.say(f"edits.norm_formula_{switch.formula}")
    if switch.epsilon is None:
        return piece
    return who.say("edits.norm_epsilon", piece=piece, epsilon=_number(switch.epsilon))


def _norm_place(switch: concepts.NormPlaceIs, who: Speaker) -> str:
    piece = who.say(f"edits.norm_place_{switch.place}")
    if switch.final_norm is None:
        return piece
    final = "edits.norm_place_with_final" if switch.final_norm else "edits.norm_place_without_final"
    return who.say(final, piece=piece)


def _patch(switch: tensors.TensorPatch, who: Speaker) -> str:
    sentence = " ".join(visible(word) for word in switch.sentence.split())
    quoted = shorten_text(sentence, LONGEST_SENTENCE)
    return who.say("edits.patch", cells=who.cells(switch.address, switch.at), sentence=quoted)


# What is said of a switch, given the switch and who says it.
PHRASES: dict[type[Switch], Callable[[Any, Speaker], str]] = {
    heads.HeadsOff: lambda s, who: who.say(
        f"edits.heads_off_{s.way}", heads=who.heads(s.where, s.heads)
    ),
    heads.HeadsAlone: lambda s, who: who.say(
        f"edits.heads_alone_{s.way}", heads=who.heads(s.where, s.heads)
    ),
    heads.HeadsSwapped: lambda s, who: who.say(
        f"edits.heads_swapped_{s.what}", heads=who.heads(s.where, s.heads)
    ),
    heads.HeadsFrozen: lambda s, who: who.say(
        f"edits.heads_frozen_{s.to}", heads=who.attention(s.where, s.heads)
    ),
    heads.HeadsRedirected: _redirected,
    masks.PaddingOff: lambda s, who: who.say(f"edits.padding_off_{s.side}"),
    masks.Causal: _causal,
    masks.Fill: lambda s, who: who.say(f"edits.mask_fill_{s.fill}"),
    masks.Band: _band,
    masks.Lines: _lines,
    masks.Painted: _painted,
    concepts.Unscaled: lambda s, who: _in(who.say("edits.unscaled"), s.where, who),
    concepts.Temperature: lambda s, who: _in(
        who.say("edits.temperature", by=_number(s.by)), s.where, who
    ),
    concepts.SublayerOff: lambda s, who: who.say("edits.off", place=who.place(s.where)),
    concepts.ResidualOff: lambda s, who: who.say("edits.residual_off", place=who.place(s.where)),
    concepts.NormOff: lambda s, who: who.say("edits.off", place=who.place(s.where, "norm")),
    concepts.Shuffled: lambda s, who: who.say("edits.positions_shuffled", seed=s.draw),
    concepts.PositionTable: lambda s, who: who.say(f"edits.positions_{s.variant}"),
    concepts.EmbeddingScale: lambda s, who: who.say(
        "edits.embedding_scale_on" if s.on else "edits.embedding_scale_off"
    ),
    concepts.NormFormulaIs: _norm_formula,
    concepts.NormPlaceIs: _norm_place,
    concepts.ActivationIs: lambda s, who: who.say(f"edits.activation_{s.name}"),
    concepts.Dropout: lambda s, who: who.say(
        "edits.dropout", rate=f"{100 * s.rate:g}", seed=s.draw
    ),
    tensors.TensorSet: lambda s, who: who.say(
        "edits.set", cells=who.cells(s.address, s.at), value=_number(s.value)
    ),
    tensors.TensorScale: lambda s, who: who.say(
        "edits.scale", cells=who.cells(s.address, s.at), by=_number(s.by)
    ),
    tensors.TensorNoise: lambda s, who: who.say(
        "edits.noise", cells=who.cells(s.address, s.at), spread=_number(s.spread), seed=s.draw
    ),
    tensors.TensorPatch: _patch,
}
