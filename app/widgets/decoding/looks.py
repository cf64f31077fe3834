"""Where a step looked: in the source, and in what was written so far."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

import numpy as np
import streamlit as st

from app import state
from app.figures.labels import visible
from app.figures.theme import Look
from app.widgets.decoding.run import Run
from app.widgets.translate.cross_pickers import cross_pickers
from app.widgets.translate.focus import attention_in_focus
from app.words import say
from core.reading.attention_views import head_map, sides


def show(run: Run, place: int, look: Look) -> None:
    """Draw both rows of attention of a step, as words tinted by their weight."""
    layer, head = attention_in_focus(state.get_state(), run.trace)
    with st.container(key="timeline_pickers", horizontal=True, gap="small"):
        cross_pickers("timeline", run.trace, layer, head)
    for kind in ("cross", "decoder"):
        st.markdown(f"**{say(f'timeline.looks_{_title(run, kind, layer, head, place)}')}**")
        st.html(row_html(run, kind, layer, head, place, look))


def _title(run: Run, kind: str, layer: int, head: int | None, place: int) -> str:
    """Without a causal mask a step looks at words that it has not written yet."""
    view = head_map(run.trace, kind, layer, head, "weights")  # type: ignore[arg-type]
    ahead = kind == "decoder" and bool(np.any(view.allowed[place, place + 1 :]))
    return "ahead" if ahead else kind


def row_html(
    run: Run, kind: str, layer: int, head: int | None, place: int, look: Look
) -> str:  # fmt: skip
    """One row of a map; of the words written, those that the step may look at."""
    view = head_map(run.trace, kind, layer, head, "weights")  # type: ignore[arg-type]
    columns = sides(run.trace, kind)[1]  # type: ignore[arg-type]
    seen = [at for at, may in enumerate(view.allowed[place]) if may or kind == "cross"]
    words = [columns.tokens[at] for at in seen]
    sinks = {at for at, column in enumerate(seen) if column in columns.sinks}
    return words_html(words, view.weights[place, seen], sinks, look)


def words_html(
    words: Sequence[str], weights: np.ndarray, sinks: Collection[int], look: Look
) -> str:
    """Each word over its weight, the stronger the darker; the exact weight on hover."""
    parts = []
    for at, (word, weight) in enumerate(zip(words, weights, strict=True)):
        share = float(weight)
        known = 0 <= share <= 1
        tint = f"{100 * share:.1f}%" if known else "0%"
        said, exact = (f"{share:.2f}", f"{share:.6g}") if known else ("NaN", "NaN")
        parts.append(
            f'<span class="{"sink" if at in sinks else ""}" style="--w:{tint}" '
            f'title="{escape(visible(word))}: {exact}"><b>{escape(visible(word))}</b>'
            f"<i>{said}</i><u></u></span>"
        )
    role = look.colour("weights")
    return f'<div class="decoding-looks" style="--role:{role}">{"".join(parts)}</div>'
