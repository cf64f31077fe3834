"""Two axes of a tensor as a sheet: which, what it holds, what becomes of a long axis."""

import numpy as np
import pytest
import torch

from glassformer.core.analysis.measure import informative_mask
from glassformer.core.analysis.tensor_slice import (
    cut_sheet,
    largest_lines,
    plan_sheet,
    pool_sheet,
    sheet_axes,
    sheet_window,
)
from glassformer.core.trace.trace import Trace
from tests.hand_made import hand_made

AT = "encoder/0/self_attention"


@pytest.fixture
def run() -> Trace:
    causal = torch.ones(3, 3, dtype=torch.bool).tril().expand(1, 2, 3, 3)
    scaled = torch.arange(18.0).reshape(1, 2, 3, 3)
    masked = scaled.masked_fill(~causal, -1e9)
    where = "decoder/0/self_attention"
    return hand_made(
        {
            "source/ids": torch.tensor([[5, 1, 5, 2]]),
            "source/positions": torch.arange(16.0).reshape(4, 4),
            f"{AT}/q": torch.arange(16.0).reshape(1, 2, 4, 2),
            f"{where}/mask": causal,
            f"{where}/scaled": scaled,
            f"{where}/masked": masked,
            f"{where}/weights": masked.softmax(-1),
            "encoder/0/self_attention_norm/mean": torch.tensor([[[1.0], [2.0], [3.0], [4.0]]]),
            "output/probabilities": torch.rand(1, 3, 6, generator=torch.manual_seed(0)),
        }
    )


def test_the_last_two_axes_are_drawn_the_others_held(run: Trace) -> None:
    chosen = plan_sheet(run, f"{AT}/q", pins={"head": 1})
    assert (chosen.rows.name, chosen.columns and chosen.columns.name) == (
        "position",
        "head_feature",
    )
    assert chosen.pins == {"head": 1}
    sheet = cut_sheet(run, f"{AT}/q", chosen)
    assert np.array_equal(sheet.values, run[f"{AT}/q"][0, 1].numpy())
    assert sheet.rows.labels == run.source_tokens
    assert sheet.columns.labels is None


@pytest.mark.parametrize("names", [("head", "position"), ("position", "head")])
def test_any_two_axes_in_either_order(run: Trace, names: tuple[str, str]) -> None:
    chosen = plan_sheet(run, f"{AT}/q", names, {"head_feature": 1})
    sheet = cut_sheet(run, f"{AT}/q", chosen)
    expected = run[f"{AT}/q"][0, :, :, 1].numpy()
    assert np.array_equal(sheet.values, expected if names[0] == "head" else expected.T)
    assert sheet.rows.axis is not None
    assert sheet.rows.axis.name == names[0]


def test_a_choice_that_does_not_fit_falls_back(run: Trace) -> None:
    chosen = plan_sheet(run, f"{AT}/q", ("query", "key"), {"head": 99, "hidden": 3})
    assert chosen.rows.name == "position"
    assert chosen.pins == {"head": 1}
    assert plan_sheet(run, f"{AT}/q", ("head", "head")).rows.name == "position"
    assert plan_sheet(run, f"{AT}/q", pins={"head": -5}).pins == {"head": 0}


def test_one_axis_makes_one_column(run: Trace) -> None:
    for address, expected in (
        ("source/ids", [5, 1, 5, 2]),
        ("encoder/0/self_attention_norm/mean", [1, 2, 3, 4]),
    ):
        chosen = plan_sheet(run, address)
        sheet = cut_sheet(run, address, chosen)
        assert chosen.columns is None
        assert sheet.values[:, 0].tolist() == expected
        assert sheet.values.dtype == np.float32


def test_a_tensor_without_a_batch(run: Trace) -> None:
    sheet = cut_sheet(run, "source/positions", plan_sheet(run, "source/positions"))
    assert np.array_equal(sheet.values, run["source/positions"].numpy())


def test_a_vocabulary_is_drawn_as_rows(run: Trace) -> None:
    chosen = plan_sheet(run, "output/probabilities")
    assert chosen.rows.name == "vocabulary"
    assert [axis.name for axis in sheet_axes(run, "output/probabilities")] == [
        "position",
        "vocabulary",
    ]


def test_forbidden_cells_say_nothing(run: Trace) -> None:
    where = "decoder/0/self_attention"
    causal = run[f"{where}/mask"].numpy()
    for name in ("mask", "masked", "weights"):
        said = informative_mask(run, f"{where}/{name}")
        assert said is not None
        assert np.array_equal(said, causal)
    assert informative_mask(run, f"{where}/scaled") is None
    assert informative_mask(run, f"{AT}/q") is None
    sheet = cut_sheet(run, f"{where}/masked", plan_sheet(run, f"{where}/masked", ("key", "query")))
    assert sheet.allowed is not None
    assert np.array_equal(sheet.allowed, causal[0, 0].T)


def test_weights_of_a_row_where_all_is_forbidden_are_shown() -> None:
    nothing = torch.zeros(1, 2, 3, 3, dtype=torch.bool)
    where = "decoder/0/self_attention"
    uniform = torch.full((1, 2, 3, 3), 1 / 3)
    run = hand_made({f"{where}/mask": nothing, f"{where}/weights": uniform})
    assert informative_mask(run, f"{where}/weights") is None


def test_a_window_keeps_numbers_and_words_together(run: Trace) -> None:
    sheet = cut_sheet(run, f"{AT}/q", plan_sheet(run, f"{AT}/q"))
    part = sheet_window(sheet, "rows", 1, 2)
    assert part.rows.labels == run.source_tokens[1:3]
    assert np.array_equal(part.values, sheet.values[1:3])
    assert len(sheet_window(sheet, "columns", 1, 99).columns) == 1


def test_the_largest_make_a_staircase() -> None:
    values = torch.tensor([[0.1, 0.0, 0.7, 0.0, 0.2], [0.0, 0.9, 0.1, 0.0, 0.0]])[None]
    run = hand_made(
        {"output/probabilities": values}, target=("<zh>", "b"), vocabulary=tuple("abcde")
    )
    sheet = cut_sheet(run, "output/probabilities", plan_sheet(run, "output/probabilities"))
    best = largest_lines(sheet, "rows", 3)
    assert best.rows.labels == ("c", "e", "b")
    assert best.values[:, 0].tolist() == pytest.approx([0.7, 0.2, 0.0])


def test_the_largest_of_nothing_but_nan() -> None:
    values = torch.full((1, 2, 5), torch.nan)
    run = hand_made({"output/logits": values}, target=("<zh>", "b"), vocabulary=tuple("abcde"))
    sheet = cut_sheet(run, "output/logits", plan_sheet(run, "output/logits"))
    assert len(largest_lines(sheet, "rows", 3).rows) == 3


def test_pooling_keeps_the_furthest_from_zero_and_nan() -> None:
    row = torch.zeros(1, 1, 10)
    row[0, 0, 2], row[0, 0, 3], row[0, 0, 5], row[0, 0, 9] = -4.0, 3.0, torch.nan, 1.0
    run = hand_made({"encoder/0/feed_forward/activation": row}, source=("<eos>",))
    address = "encoder/0/feed_forward/activation"
    sheet = cut_sheet(run, address, plan_sheet(run, address))
    pooled = pool_sheet(sheet, 4)
    assert pooled.columns.step == 3
    assert pooled.columns.indices.tolist() == [0, 3, 6, 9]
    assert np.array_equal(pooled.values, [[-4.0, np.nan, 0.0, 1.0]], equal_nan=True)
    assert pooled.columns.labels is None
    assert np.array_equal(pool_sheet(sheet, 10).values, sheet.values, equal_nan=True)


def test_a_pooled_cell_is_forbidden_only_where_all_are() -> None:
    mask = torch.tensor([[True, False, False, False]]).expand(1, 1, 1, 4)
    where = "decoder/0/cross_attention"
    masked = torch.tensor([[[[2.0, -1e9, -1e9, -1e9]]]])
    run = hand_made({f"{where}/mask": mask, f"{where}/masked": masked}, target=("<zh>",))
    pooled = pool_sheet(cut_sheet(run, f"{where}/masked", plan_sheet(run, f"{where}/masked")), 2)
    assert pooled.allowed is not None
    assert pooled.allowed.tolist() == [[True, False]]
    assert pooled.values[0, 0] == 2.0
