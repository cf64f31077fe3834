"""The figures of the strategies and of the beam search, on numbers."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from app.figures.alpha_scores import alpha_scores
from app.figures.next_cut import next_cut
from app.figures.source_weights import source_weights
from app.figures.theme import Look
from core.decoding.cut_rows import cut_rows, lot
from core.decoding.sampling import Sampling, cut_of

CHANCES = (0.1, 0.4, 0.05, 0.3, 0.15)  # best first 1 3 4 0 2
TEXTS = {name: name for name in ("own", "tempered", "sum", "lot", "limit", "stay", "away")}


def figure(how: Sampling, draw: float, chosen: int, names: list[str], **more: Any) -> Any:
    cut = cut_of(torch.tensor(CHANCES).log(), how, draw)
    return next_cut(cut_rows(cut, chosen), names, lot(cut), Look(), TEXTS, **more)


def trace(drawn: Any, name: str) -> Any:
    return next(each for each in drawn.data if each.name == name)


def test_bars_before_and_after_temperature_and_the_running_sum() -> None:
    drawn = figure(Sampling(temperature=2.0), 0.5, 3, list("abcde"))
    roots = [math.sqrt(CHANCES[id]) for id in (1, 3, 4, 0, 2)]
    after = [root / sum(roots) for root in roots]
    own = [0.4, 0.3, 0.15, 0.1, 0.05]
    assert list(trace(drawn, "own").x) == pytest.approx(own, abs=1e-6)
    assert list(trace(drawn, "tempered").x) == pytest.approx(after, abs=1e-6)
    assert list(trace(drawn, "sum").base) == pytest.approx(
        [sum(after[:n]) for n in range(5)], abs=1e-6
    )
    assert not drawn.layout.shapes  # nothing is cut


def test_the_lot_ends_in_the_stretch_of_the_word() -> None:
    drawn = figure(Sampling(top_k=2), 0.9, 3, list("abcde"))
    mark = trace(drawn, "lot")
    assert mark.x[0] == mark.x[1] == pytest.approx(0.9 * 0.7, abs=1e-6)  # between 0.4 and 0.7
    assert mark.y[1] == 1
    line = drawn.layout.shapes[0]
    assert line.y0 == line.y1 == 1.5  # below the second word
    patterns = trace(drawn, "sum").marker.pattern.shape
    assert list(patterns) == ["", "", "/", "/", "/"]


def test_top_p_is_a_line_on_the_sum() -> None:
    drawn = figure(Sampling(top_p=0.6), 0.1, 1, list("abcde"), limit=0.6)
    upright = [each for each in drawn.layout.shapes if each.xref == "x2"]
    assert [each.x0 for each in upright] == [0.6]


def test_words_are_shown_as_typed() -> None:
    drawn = figure(Sampling(), 0.1, 1, ["<b>x</b>", "&lt;", "c", "d", "e"])
    assert list(drawn.layout.yaxis.ticktext)[:2] == ["<b>&lt;b&gt;x&lt;/b&gt;</b>", "&amp;lt;"]
    assert trace(drawn, "tempered").customdata[1].startswith("<b>&amp;lt;</b>")


def test_scores_of_hypotheses_over_alpha() -> None:
    scores = np.array([[-2.0, -1.0], [-3.0, -0.5]])
    drawn = alpha_scores(np.array([0.0, 1.0]), scores, ["<a>", "b"], 0.6, 0, Look(), "α")
    assert [list(line.y) for line in drawn.data] == [[-3.0, -0.5], [-2.0, -1.0]]  # focus on top
    assert drawn.data[1].line.width > drawn.data[0].line.width
    assert drawn.data[1].name == "&lt;a&gt;"
    assert drawn.layout.shapes[0].x0 == 0.6


def test_one_row_of_attention() -> None:
    drawn = source_weights(["a", "<b>", "c"], [0.2, 0.7, math.nan], Look(), sinks=[2])
    bars = drawn.data[0]
    assert list(bars.x) == [0.2, 0.7, 0.0]
    assert list(bars.text) == ["0.200", "0.700", "NaN"]
    assert list(drawn.layout.yaxis.ticktext)[1] == "&lt;b&gt;"
    assert bars.marker.color[1] == Look().colour("weights") != bars.marker.color[0]
