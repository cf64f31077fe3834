"""The Lab as tiles: what it opens on, what a tile shows, the way in and back."""

import numpy as np
import pytest

from glassformer.app.pages.lab import tile_pictures
from glassformer.app.pages.lab.tile_pictures import (
    HEIGHT,
    WIDTH,
    bench_picture,
    draw_bars,
    draw_curves,
    draw_grid,
)
from glassformer.app.panels.panel import panels_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import LAB
from glassformer.app.words import say
from glassformer.core.lab.softmax import measure_scaling
from tests.opened_app import opened, state_of
from tests.sent import data_of, send


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lab_opens_on_a_tile_for_every_bench(language: str) -> None:
    app = opened("lab", language=language)
    groups = data_of(app, "tiles")["groups"]
    tiles = [tile for group in groups for tile in group["tiles"]]
    assert [tile["bench"] for tile in tiles] == list(LAB)
    assert groups[-1]["name"] == say("lab.group_notes", language)
    assert [tile["bench"] for tile in groups[-1]["tiles"]] == ["examples"]
    for tile in tiles:
        assert tile["question"].endswith(("?", "？")), tile["bench"]
        assert tile["name"] == say(panels_of("lab")[tile["bench"]].title, language)


def test_a_tile_opens_its_bench_and_the_bench_leads_back() -> None:
    app = send(opened("lab"), "tiles", "pick", {"bench": "masks"})
    assert state_of(app).lab == app.query_params["lab"] == "masks"
    app.button(key="lab_next").click().run()
    assert state_of(app).lab == "mask_building"
    app.button(key="lab_all").click().run()
    assert data_of(app, "tiles")
    app = send(app, "tiles", "pick", {"bench": "no such bench"})
    assert state_of(app).lab == "tiles"
    app = send(app, "tiles", "pick", {"bench": "examples"})
    app.button(key="lab_next").click().run()  # after the last comes the first
    assert state_of(app).lab == LAB[0]


@pytest.mark.parametrize(
    "link", [{"example": "layer-norm"}, {"inputs": "example_pe-matrix:max_len,'5"}]
)
def test_links_from_before_still_open_the_worked_examples(link: dict[str, str]) -> None:
    app = opened("lab", **link)
    assert app.selectbox(key="widget_lab_bench").value == "examples"
    app.button(key="lab_all").click().run()
    assert data_of(app, "tiles")  # although the example stays in the link
    assert data_of(opened("lab", **dict(app.query_params)), "tiles")


def test_pictures_are_drawn_from_the_numbers_of_the_bench() -> None:
    drawn = bench_picture("scaling", False)
    assert drawn is not None
    found = measure_scaling(64, 8)
    both = np.stack([found.raw.entropy.numpy(), found.scaled.entropy.numpy()])
    heights = np.array([[y for _, y in points] for points, *_ in drawn])
    share = (HEIGHT - 5 - heights) / (HEIGHT - 10)
    np.testing.assert_allclose(share, (both - both.min()) / (both.max() - both.min()), atol=2e-3)
    assert bench_picture("no such bench", False) is None
    pull = bench_picture("pull", False)
    assert pull is not None
    (start, end), role, _ = pull[3]  # from the origin to the sum, which the parts lead to
    assert role == "value" and (start, end) == (pull[0][0][0], pull[-1][0][-1])
    assert bench_picture("rnn", False) is not None


@pytest.mark.parametrize("bench", list(tile_pictures.PICTURES))
def test_every_picture_lies_in_its_frame(bench: str) -> None:
    drawn = bench_picture(bench, True)
    assert drawn is not None
    assert bench in LAB
    spots = [spot for points, *rest in drawn if len(rest) == 2 for spot in points]
    cells = [mark for mark in drawn if len(mark) == 6]
    spots += [spot for x, y, wide, high, *_ in cells for spot in ((x, y), (x + wide, y + high))]
    assert spots
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in spots)


def test_marks_by_hand() -> None:
    (points, role, dashed), (flat, *_) = draw_curves(
        [([0, 1], "data", True), ([0, 0], "key", False)]
    )
    assert (points, role, dashed) == ([[4, 67], [156, 5]], "data", True)
    assert flat == [[4, 67], [156, 67]]
    ((x, y, wide, high, role, share), (*_, other, half)) = draw_grid([[2], [-1]], "value")
    assert (x, y, wide, high, role, share) == (63, 2, 33, 33, "value", 1)
    assert (other, half) == ("key", 0.5)
    up, down = draw_bars([1, -1], "norm")
    assert (up[1], up[3], down[1], down[3]) == (4, 32, 36, 32)
