"""The logit lens of two runs: the best words of every state."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from glassformer.app.pages.vectors.focus import VectorsFocus, state_name
from glassformer.app.panels.compare import triple
from glassformer.app.panels.compare.wording import titles
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import segments
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.comparison import pair_words
from glassformer.core.analysis.logit_lens import Lens, best_words, lens, read_by_generator
from glassformer.core.trace.trace import Candidate, Trace

BEST = 3  # words of a state


def show(pair: Pair) -> None:
    """The best words of every state of the decoder, for the row in focus and its partner."""
    config = pair.first.config
    if not config.has_generator:
        st.info(say("lens.no_generator"))
        return
    focus = VectorsFocus.current(read_by_generator(config))
    mine = focus.model  # of the switched run where there are two
    first = mine if pair.kind == "sentences" else on_screen.plain_model().transformer
    runs = (pair.first, pair.second)
    seen = [lens(*each, BEST, sublayers=True) for each in zip(runs, (first, mine), strict=True)]
    lines = pair_words(
        pair.first.target_tokens, pair.second.target_tokens, pair.kind == "experiment"
    )
    rows = next(each for each in lines if each[triple.anchor_run(pair)] == focus.position)
    labels = dict(enumerate(literal(visible(each)) for each in focus.words.labels))
    st.markdown(f"**{say('beside.lens_title')}**")
    segments(
        "beside_lens_row", say("beside.lens_pick"), labels, focus.position,
        lambda row: store.update(token=(focus.side, row)), bare=False,
    )  # fmt: skip
    sides = [LensSide(*each) for each in zip(runs, seen, rows, strict=True)]
    with box("fill tall", "vectors_main"):
        st.html(lens_table(sides, titles(pair), focus.look))
    st.caption(say("beside.lens_note"))


@dataclass(frozen=True)
class LensSide:
    """One run through the lens, and the row of it that is in focus; None where it has none."""

    run: Trace
    seen: Lens
    row: int | None

    def best(self, state: int) -> list[Candidate]:
        """The best words of a state, those that have numbers."""
        if self.row is None:
            return []
        best = best_words(self.run, self.seen, state, self.row)
        return [word for word in best if not math.isnan(word.probability)]


def lens_table(sides: Sequence[LensSide], names: Sequence[str], look: FigureStyle) -> str:
    """A row a state: three words and the rank of the written one, of either run; text escaped."""
    heads = [f"<th>{escape(say('beside.lens_state'))}</th>"]
    for side, name in zip(sides, names, strict=True):
        written = "–" if side.row is None else visible(side.seen.written[side.row])
        said = say("beside.lens_row", row="–" if side.row is None else side.row + 1)
        heads.append(
            f"<th class='split'>{escape(name)} · {escape(said)} "
            f"<b>{escape(written)}</b></th><th class='rank'>{escape(say('beside.lens_rank'))}</th>"
        )
    count = min(len(side.seen.states) for side in sides)
    body = "".join(f"<tr>{_state(sides, at, look)}</tr>" for at in range(count))
    return f"<table class='plain beside-lens'><tr>{''.join(heads)}</tr>{body}</table>"


def _state(sides: Sequence[LensSide], at: int, look: FigureStyle) -> str:
    """The cells of a state; where the second run's best word is another one, it is coloured."""
    cells = [f"<td>{escape(state_name(sides[1].seen.states[at].state))}</td>"]
    tops = [best[0].token if (best := side.best(at)) else "" for side in sides]
    for side in sides:
        if side.row is None:
            cells.append("<td class='split'>–</td><td></td>")
            continue
        other = side is sides[1] and sides[0].row is not None and tops[1] != tops[0]
        words = "".join(
            f"<span><b style='color:{look.colour('changed' if other and not place else 'text')}'>"
            f"{escape(visible(each.token))}</b> <em>{escape(format_percent(each.probability))}</em>"
            "</span>"
            for place, each in enumerate(side.best(at))
        )
        rank = int(side.seen.rank[at, side.row])
        cells.append(f"<td class='split'>{words or 'NaN'}</td><td class='rank'>{rank or '–'}</td>")
    return "".join(cells)
