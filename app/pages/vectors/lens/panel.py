"""The logit lens: every state of the decoder through the generator, for the row in focus.

Left the states from the input to what is really read; right what a lens is, and all rows at once.
"""

import math
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from glassformer.app.pages.vectors.depth_grid import Cells, depth_grid, rank_shares, shares_colours
from glassformer.app.pages.vectors.focus import (
    VectorsFocus,
    pick_word,
    show_word,
    state_name,
    trail_line,
)
from glassformer.app.pages.vectors.stream.panel import stream_columns
from glassformer.app.panels import provenance
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.runs import on_screen
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say, say_each
from glassformer.core.analysis.logit_lens import (
    EQUATIONS,
    Lens,
    best_words,
    first_settled_state,
    lens,
    read_by_generator,
)

WORDS = 5
TEXTS = "lens.label lens.words lens.rank lens.entropy lens.rank_help lens.entropy_help"
OTHERS = 64  # rows of the decoder whose line is drawn behind the one in focus

_lens_depth = component(__file__, "lens_depth")


def top_line() -> str:
    """What one sees; a model of one stack has no decoder to name."""
    alone = not on_screen.trace_on_screen().config.has_both
    return escape(say("lens.top_alone") if alone else say("lens.top"))


def show() -> None:
    """Draw the states of the row in focus, and what they are beside them."""
    config = on_screen.trace_on_screen().config
    if not config.has_generator:
        st.info(say("lens.no_generator"))
        return
    focus = VectorsFocus.current(read_by_generator(config))
    seen = lens(focus.trace, focus.model, WORDS, sublayers=True)
    left, right = st.columns([63, 37], gap="medium")
    with left.container(gap="xsmall", key="lens_left"):
        _depth(focus, seen)
    with right, box("tex", "lens_right", gap="xsmall"):
        _about(focus, seen)
        _every_row(focus, seen)


def _depth(focus: VectorsFocus, seen: Lens) -> None:
    at, row = focus.place([each.state for each in seen.states]), focus.position
    title = "lens.title" if focus.trace.config.has_both else "lens.title_alone"
    st.markdown(f"**{say(title, word=literal(visible(seen.written[row])))}**")
    address = seen.states[at].state.address
    st.caption(f"{state_name(seen.states[at].state)} · {focus.shape(address)}")
    size = len(focus.trace.vocabulary)

    def picked(sent: Mapping[str, Any]) -> None:
        pick_word(focus, row, seen.states[int(sent["row"])].state.address)

    data = {
        "rows": lens_rows(focus, seen),
        "axis": rank_axis(seen, row, size),
        "chosen": at,
        "texts": say_each(TEXTS),
    }
    with box("fill tall", "vectors_main"):
        _lens_depth("lens_depth", data, height="stretch", pick=picked)
    with box("rows-2 note", "vectors_note"):
        legend = say("lens.legend", largest=format_number(math.log(size), 3), size=size)
        tied = focus.trace.config.tie_generator
        st.caption(f"{legend} {say('lens.tied')}" if tied else legend)
    trail_line(focus, address, "lens_trail")


def lens_rows(focus: VectorsFocus, seen: Lens) -> list[dict[str, Any]]:
    """The states of the row in focus, from the input to the last, as lens_depth.js draws them."""
    at, size = focus.position, len(focus.trace.vocabulary)
    shares, above = (
        rank_shares(seen.rank[:, at], size),
        stream_columns([e.state for e in seen.states]),
    )
    found = []
    for n, (group, name) in enumerate(above):
        entropy, rank = float(seen.entropy[n, at]), int(seen.rank[n, at])
        chance = format_percent(float(seen.chosen[n, at]))
        found.append(
            {
                "group": group,
                "name": name,
                "words": _best(focus, seen, n),
                "rank": str(rank) if rank else "–",
                "place": _place(shares[n]),
                "entropy": focus.number(entropy),
                "spread": _sent(entropy / math.log(size)),
                "title": say("lens.row", rank=rank, chance=chance, word=seen.written[at]),
            }
        )
    return found


def _best(focus: VectorsFocus, seen: Lens, state: int) -> list[tuple[str, str, float, bool]]:
    """The best words of a state: text, percent, share, and whether it was written in the end."""
    return [
        (visible(word.token), format_percent(word.probability), _sent(word.probability),
         word.piece == focus.trace.output_pieces[focus.position])
        for word in best_words(focus.trace, seen, state, focus.position)
        if not math.isnan(word.probability)
    ]  # fmt: skip


def rank_axis(seen: Lens, row: int, size: int) -> dict[str, Any]:
    """Powers of ten from rank 1 on the left to the last word of the vocabulary on the right.

    Behind them a line for each other row of the decoder.
    """
    powers = [10**power for power in range(int(math.log10(size)) + 1)]
    places = rank_shares(np.asarray(powers), size)
    shares = rank_shares(seen.rank, size)  # (N, T)
    others = [at for at in range(shares.shape[1]) if at != row][:OTHERS]
    return {
        "ticks": [(_place(at), str(each)) for at, each in zip(places, powers, strict=True)],
        "others": [[_place(share) for share in shares[:, at]] for at in others],
    }


def _sent(share: float) -> float:
    """A share of 0 … 1 for the browser, where NaN is no JSON."""
    return round(min(max(share, 0.0), 1.0), 4) if math.isfinite(share) else 0.0


def _place(share: float) -> float | None:
    return round(1 - float(share), 4) if math.isfinite(share) else None


def _about(focus: VectorsFocus, seen: Lens) -> None:
    """What the reader looks through, and what it does not show."""
    show_word(focus)
    st.latex(EQUATIONS["lens"] if _is_normed(seen) else EQUATIONS["lens"].replace(
        r"\mathrm{LN}(x^{(l)})", "x^{(l)}"))  # fmt: skip
    st.markdown(say("lens.about"))
    st.warning(say(f"lens.trained_{_trained(focus, seen)}"), icon=":material/visibility:")
    at, row = int(first_settled_state(seen)[focus.position]), focus.position
    if at < len(seen.states):
        name = state_name(seen.states[at].state)
        st.markdown(say("lens.settled", word=literal(visible(seen.written[row])), state=name))
    vocabulary = focus.trace.vocabulary
    with st.container(horizontal=True, vertical_alignment="center", key="lens_probability"):
        chance = format_percent(float(seen.chosen[-1, row]))
        st.caption(say("lens.end", chance=chance, size=len(vocabulary)), width="content")
        cell = (0, row, vocabulary.index(focus.trace.output_pieces[row]))
        provenance.open_button("output/probabilities", cell, "lens_end_trail")


def _trained(focus: VectorsFocus, seen: Lens) -> str:
    """Which of the notes holds: what the model was trained to read, and through which norm."""
    place = focus.trace.config.norm_place
    if place != on_screen.plain_model().config.norm_place:
        return "elsewhere"
    return place if place == "post" or _is_normed(seen) else "bare"


def _is_normed(seen: Lens) -> bool:
    return any(each.norm == "final" for each in seen.states)


def _every_row(focus: VectorsFocus, seen: Lens) -> None:
    st.markdown(f"**{say('lens.every')}**")
    states = [each.state for each in seen.states]
    shares = rank_shares(seen.rank.T, len(focus.trace.vocabulary))  # (T, N)
    cells = Cells(
        colours=shares_colours(shares, "weights", focus.look),
        main=[[str(int(rank)) if rank else "–" for rank in row] for row in seen.rank.T],
    )
    above = [
        ("" if each.layer is None else f"L{each.layer + 1}", say(f"lens.short_{each.part}"))
        for each in states
    ]
    with box("fill low", "lens_grid_place"):
        depth_grid("lens_grid", focus, states, cells, say("lens.every"), say("lens.hover"), above)
