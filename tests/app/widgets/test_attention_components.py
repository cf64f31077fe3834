"""What the thumbnails and the lines send to the browser."""

import base64
import json

import numpy as np
import pytest

from glassformer.app.panels.attention.attention_lines import Line, lines_data
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.component import json_bytes
from glassformer.app.ui.components.head_grid import GridTexts, Thumbnail, grid_data
from glassformer.core.analysis.attention_views import attention_overview, attention_sides, head_map
from tests.traces import small_trace

LOOK = FigureStyle()


def test_thumbnails_carry_a_byte_a_cell() -> None:
    trace = small_trace()
    seen = attention_overview(trace, "cross")
    items = [Thumbnail(0, 1, "Layer 1 · Head 2", "L1 · H2", "<b>title</b>")]
    texts = GridTexts("heads", ["Layer 1", "Layer 2"], ["1", "2", "3", "4", "mean"])
    data = json.loads(json_bytes(grid_data(seen, items, (0, None), texts, LOOK)))
    (kind,) = data["kinds"]
    levels = np.frombuffer(base64.b64decode(kind["levels"]), np.uint8)
    shape = (2, kind["heads"] + 1, *kind["side"])
    assert np.array_equal(levels.reshape(shape), seen.levels)
    assert data["focus"] == {"kind": "", "layer": 0, "head": None}
    assert data["items"][0]["title"] == "<b>title</b>"
    assert not data["ranked"]
    ranked = [Thumbnail(0, 1, "name", "short", "title", "62%")]
    assert grid_data(seen, ranked, (0, 1), texts, LOOK)["ranked"]


def test_lines_carry_two_bytes_a_weight() -> None:
    trace = small_trace(("</b>", "", "x"))
    weights = np.stack([head_map(trace, "cross", 0, head, "weights").weights for head in (0, 3)])
    weights[0, 0, 0] = np.nan
    heads = [Line("Head 1", "#000000"), Line("Head 4", "#FFFFFF")]
    data = lines_data(weights, attention_sides(trace, "cross"), heads, (1, 2), ("q", "k"), LOOK)
    levels = np.frombuffer(base64.b64decode(data["weights"]), "<u2").reshape(weights.shape)
    assert levels / 65535 == pytest.approx(np.nan_to_num(weights), abs=1e-5)
    assert [key["text"] for key in data["keys"]] == ["</b>", "∅", "x", "<eos>"]
    assert [key["sink"] for key in data["keys"]] == [False, False, False, True]
    assert data["queries"][0]["text"] == "动物 (<zh>)"
    assert data["pinned"] == {"query": 1, "key": 2}
    json.dumps(data)


def test_lines_of_eight_heads_at_64_tokens_stay_below_the_limit() -> None:
    side = attention_sides(small_trace(tuple(f"word{number}" for number in range(63))), "encoder")
    weights = np.full((8, 64, 64), 1 / 64, np.float32)
    heads = [Line(f"Head {head}", "#000000") for head in range(8)]
    assert len(json.dumps(lines_data(weights, side, heads, None, ("q", "k"), LOOK))) < 256 * 1024
