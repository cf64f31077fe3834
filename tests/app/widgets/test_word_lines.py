"""What the browser is sent for words and lines, and what it may send back."""

import json
import math

import numpy as np
import pytest
import torch

from glassformer.app.ui.components.word_lines import (
    Chip,
    Pin,
    grey_positions,
    lines_data,
    output_chips,
    read_pin,
    source_chips,
)
from tests.example_trace import example_trace


def data(weights: np.ndarray, pin: Pin | None = None) -> dict:  # type: ignore[type-arg]
    trace = example_trace()
    return lines_data(source_chips(trace), output_chips(trace), weights, pin, 1, "", {})


def test_chips_show_what_was_typed_and_mark_what_is_unknown() -> None:
    chips = source_chips(example_trace())
    assert [chip.text for chip in chips] == ["Zorblax", "likes", "</s>", ",", ""]
    assert [chip.slot for chip in chips] == ["<name1>", "", "<s>", "", ""]
    assert [chip.end for chip in chips] == [False, False, False, False, True]
    assert grey_positions(chips) == [3, 4]


def test_chips_tell_a_copied_word_from_a_listed_one_and_mark_what_is_unseen() -> None:
    trace = example_trace(surfaces={"<name1>": "佐布拉克斯"})
    assert [chip.listed for chip in source_chips(trace)] == [True, False, False, False, False]
    assert [chip.listed for chip in output_chips(trace)] == [True, False, False, False]
    assert not any(chip.listed for chip in source_chips(example_trace()))
    weights = {
        f"decoder/{layer}/cross_attention/weights": torch.zeros(1, 2, 4, 5) for layer in (0, 1)
    }
    weights["decoder/0/cross_attention/weights"][0, :, :, 0] = 1.0
    blind = example_trace(tensors={**trace.tensors, **weights})
    assert [chip.unseen for chip in source_chips(blind)] == [False, True, True, False, False]
    sent = lines_data(source_chips(blind), [], np.zeros((0, 5)), None, 0, "", {})["sources"]
    assert [word["unseen"] for word in sent] == [False, True, True, False, False]


def test_a_typed_end_is_a_word_not_the_end() -> None:
    trace = example_trace(
        source_tokens=("<eos>", "likes", "x", ",", "<eos>"),
        source_pieces=("<noun1>", "likes", "x", ",", "<eos>"),
        source_unknown=(0,),
    )
    first, *_, last = source_chips(trace)
    assert (first.text, first.slot, first.sink) == ("<eos>", "<noun1>", False)
    assert (last.text, last.sink) == ("", True)


def test_output_chips_carry_their_probability() -> None:
    chips = output_chips(example_trace())
    assert [chip.probability for chip in chips] == pytest.approx([0.9, 0.4, 0.6, 0.97])
    assert [chip.unsure for chip in chips] == [False, True, False, False]
    assert [chip.slot for chip in chips] == ["<name1>", "", "", ""]
    assert grey_positions(chips) == [2, 3]


def test_lines_are_target_source_weight_and_leave_out_what_cannot_be_seen() -> None:
    weights = np.zeros((4, 5), dtype=np.float32)
    weights[1, 2], weights[3, 4], weights[0, 0] = 0.75, 1.0, 0.004
    assert data(weights)["lines"] == [[1, 2, 0.75], [3, 4, 1.0]]


def test_numbers_that_are_not_reach_the_browser_as_json() -> None:
    weights = np.zeros((4, 5), dtype=np.float32)
    weights[2, 1] = math.nan
    sent = data(weights)
    assert sent["lines"] == [[2, 1, None]]
    nameless = lines_data([], [Chip("a", probability=math.nan)], weights[:0], None, 0, "", {})
    assert nameless["outputs"][0]["percent"] == "NaN"
    assert nameless["outputs"][0]["unsure"] is True
    assert "NaN" not in json.dumps(sent).replace('"NaN"', "")


def test_64_words_stay_far_below_the_limit() -> None:
    chips = [Chip("internationalization", probability=0.5)] * 64
    even = np.full((64, 64), 1 / 64, dtype=np.float32)
    sent = lines_data(chips, chips, even, Pin("target", 3), 3, "", {})
    assert len(sent["lines"]) == 64 * 64
    assert len(json.dumps(sent)) < 120_000


@pytest.mark.parametrize(
    ("value", "pin"),
    [
        ({"side": "source", "place": 4}, Pin("source", 4)),
        ({"side": "target", "place": 3}, Pin("target", 3)),
        ({"side": None, "place": None}, None),
        ({"side": "source", "place": 5}, None),
        ({"side": "target", "place": -1}, None),
        ({"side": "target", "place": "1"}, None),
        ({"side": "elsewhere", "place": 0}, None),
        ({}, None),
    ],
)
def test_only_words_that_are_there_are_pinned(value: dict[str, object], pin: Pin | None) -> None:
    assert read_pin(value, 5, 4) == pin
