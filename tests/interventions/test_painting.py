"""Strokes on a mask, by the masks of real runs: every cell of every head decided once."""

from functools import cache

import pytest
import torch
from torch import Tensor

from glassformer import load_model
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import (
    Band,
    Causal,
    Lines,
    Painted,
    add_stroke,
    cells_of_drag,
    mask_view,
    own_mask,
    restore_mask,
)
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.trace import Trace

TEXT = "She bought two red apples yesterday"
PLACE, OTHER = "encoder/0/self_attention", "encoder/1/self_attention"
NOTHING = Experiment()


@cache
def model() -> Translator:
    return load_model("translator")


def traced(experiment: Experiment) -> Trace:
    return run(experiment, model(), TEXT)


def mask(experiment: Experiment, place: str = PLACE) -> Tensor:
    return traced(experiment)[f"{place}/mask"][0]


def side() -> int:
    return len(traced(NOTHING).source_tokens)


def stroke(
    before: Experiment, what: str, *cells: tuple[int, int], heads: tuple[int, ...] = ()
) -> Experiment:
    size = (side(), side())
    return add_stroke(before, model().config, PLACE, heads, cells, what, size)  # type: ignore[arg-type]


def test_what_a_brush_covers() -> None:
    size = (3, 4)
    assert cells_of_drag("cell", (2, 1), (1, 2), size) == ((1, 1), (1, 2), (2, 1), (2, 2))
    assert cells_of_drag("row", (1, 3), (1, 0), size) == ((1, 0), (1, 1), (1, 2), (1, 3))
    assert cells_of_drag("column", (0, 2), (2, 3), size) == tuple(
        (row, column) for row in range(3) for column in (2, 3)
    )
    assert cells_of_drag("band", (0, 1), (1, 2), size) == ((0, 1), (1, 2), (2, 3))
    assert set(cells_of_drag("band", (0, 1), (1, 1), size)) == {
        (0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 3),
    }  # fmt: skip


def test_the_last_stroke_over_a_cell_decides_for_its_heads_alone() -> None:
    everyone = stroke(NOTHING, "hide", (0, 1), (2, 3))
    assert everyone.switches == (Painted(PLACE, (), ((0, 1, 1), (2, 3, 3))),)
    one_shown = stroke(everyone, "show", (0, 1), heads=(2,))
    expected = torch.ones(4, side(), side(), dtype=torch.bool)
    expected[:, 2, 3] = False
    expected[[0, 1, 3], 0, 1] = False
    assert torch.equal(mask(one_shown), expected)
    again = stroke(one_shown, "hide", (4, 4))
    expected[:, 4, 4] = False
    assert torch.equal(mask(again), expected), "painting all heads leaves what one head has"
    all_alike = stroke(again, "hide", (0, 1))
    assert len(all_alike.switches) == 1
    assert all_alike.switches[0].heads == ()  # type: ignore[attr-defined]


def test_erased_cells_leave_nothing_behind() -> None:
    drawn = stroke(NOTHING, "hide", *cells_of_drag("cell", (1, 1), (2, 3), (9, 9)))
    assert stroke(drawn, "clear", *cells_of_drag("cell", (0, 0), (5, 5), (9, 9))) == NOTHING
    part = stroke(drawn, "clear", (1, 1), heads=(0,))
    assert torch.equal(mask(part)[0, 1], torch.tensor([True, True, False, False, *[True] * 3]))
    assert not mask(part)[1:, 1, 1].any()
    assert restore_mask(part, model().config, PLACE, (0,)) != part
    assert restore_mask(part, model().config, OTHER, ()) == part


def test_other_switches_keep_their_order_and_their_place() -> None:
    off, causal = HeadsOff(PLACE, (1,)), Causal()
    before = stroke(Experiment((off,)), "hide", (0, 0)).having(causal)
    after = stroke(before, "hide", (0, 1))
    assert after.switches == (off, Painted(PLACE, (), ((0, 0, 1),)), causal)


def test_a_pattern_is_taken_apart_only_where_it_is_painted() -> None:
    broad = Experiment((Painted("encoder/*", (), ((1, 2, 3),)),))
    after = stroke(broad, "clear", (1, 2), heads=(3,))
    assert torch.equal(mask(after, OTHER), mask(broad, OTHER))
    assert mask(after)[3, 1, 2]
    assert not mask(after)[:3, 1, 2].any()
    assert not mask(after)[:, 1, 3].any()


def test_paint_of_a_longer_sentence_goes_with_the_next_stroke() -> None:
    longer = Experiment((Painted(PLACE, (), ((0, 0, 40), (30, 1, 1))),))
    after = stroke(longer, "hide", (1, 1), (50, 50))
    assert after.switches == (Painted(PLACE, (), ((0, 0, side() - 1), (1, 1, 1))),)
    assert not after.misfits(model().config, side(), side())


def test_a_preset_takes_the_place_of_what_was_drawn() -> None:
    config = model().config
    drawn = stroke(Experiment((Lines(PLACE, (), (0,)),)), "hide", (1, 1))
    itself = restore_mask(drawn, config, PLACE, ()).having(Band(PLACE))
    assert itself.switches == (Band(PLACE, (), 0, 0),)
    one = restore_mask(itself, config, PLACE, (1,)).having(Band(PLACE, (1,), -1, 1))
    away = torch.arange(side())[None, :] - torch.arange(side())[:, None]
    assert torch.equal(mask(one)[0], away == 0)
    assert torch.equal(mask(one)[1], away.abs() <= 1)
    whole = restore_mask(one, config, PLACE, ())
    assert whole == NOTHING
    assert torch.equal(
        mask(restore_mask(one, config, PLACE, (0,)))[0], own_mask(traced(one), PLACE)
    )


def test_switches_of_another_model_are_left_as_they_are() -> None:
    foreign = Experiment((Band("encoder/7/self_attention"), Painted(PLACE, (9,), ((0, 0, 0),))))
    assert restore_mask(foreign, model().config, PLACE, ()) == foreign
    assert foreign.switches[1] in stroke(foreign, "hide", (0, 0)).switches


@pytest.mark.parametrize("place", [PLACE, "decoder/0/self_attention", "decoder/1/cross_attention"])
def test_the_view_of_a_plain_run_is_the_models_own_mask(place: str) -> None:
    view = mask_view(traced(NOTHING), place)
    assert torch.equal(view.allowed, view.own)
    assert not (view.mixed.any() or view.changed.any() or view.closed)
    weights = traced(NOTHING)[f"{place}/weights"][0]
    assert torch.equal(mask_view(traced(NOTHING), place, (2,)).weights, weights[2])


def test_the_view_tells_what_heads_share_and_which_rows_are_closed() -> None:
    row = [(2, column) for column in range(side())]
    trace = traced(stroke(stroke(NOTHING, "hide", (0, 1)), "hide", *row, heads=(1, 3)))
    view = mask_view(trace, PLACE)
    assert not view.allowed[0, 1]
    assert view.mixed.nonzero()[:, 0].unique().tolist() == [2]
    assert view.changed.sum() == 1 + side()
    assert view.closed == ((1, 2), (3, 2))
    assert view.closed_rows == (2,)
    assert mask_view(trace, PLACE, (0,)).closed == ()
    assert mask_view(trace, PLACE, (3,)).closed == ((3, 2),)
    assert trace[f"{PLACE}/weights"][0, :, 0, 1].eq(0).all()  # a painted cell weighs exactly 0
