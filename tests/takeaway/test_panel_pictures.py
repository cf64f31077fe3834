"""`trace.show.<panel>()`: the panels of the app drawn of a run that the app did not compute."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glassformer.app.panels.panel import PAGES, panels_of
from glassformer.app.takeaway import widgets  # noqa: F401 – gives every run `.show`
from glassformer.app.takeaway.draw import draw_panel
from glassformer.app.takeaway.panel_pictures import panel_names, panel_picture
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

TEXT = "the cat sleeps"
OF_A_RUN = [f"{page}/{name}" for page in ("vectors", "decoding") for name in panels_of(page)]


@pytest.fixture(scope="module")
def edited() -> Trace:
    """A run whose output no link of the app gives."""
    silent = Edit("decoder/1/feed_forward/output", lambda found: found * 0 - 1)
    return load_model().trace(TEXT, edits=[silent])


def parts(screen: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [each["data"] for each in screen["screen"]["parts"] if each["name"] == name]


def test_every_panel_has_a_name_of_its_own() -> None:
    assert len(panel_names()) == sum(len(panels_of(page)) for page in PAGES)


@pytest.mark.parametrize("place", OF_A_RUN)
def test_a_panel_shows_the_run_it_was_asked_of(place: str, edited: Trace) -> None:
    page, name = place.split("/")
    query = {PAGES[page][0]: name, "text": TEXT, "stack": "decoder"}
    # Decoding decodes again: for that the run's own edits, which are functions, are not at hand.
    # So does "Which word?", which follows gradients.
    own = page == "vectors" and name != "which_word"
    run = edited if own else load_model().trace("the dog sleeps")
    shown, plain = draw_panel(page, query, run), draw_panel(page, query)
    assert not shown.get("failed") and shown["screen"]["parts"]
    if place != "vectors/positions":  # the same for every run of a model
        assert shown["screen"] != plain["screen"]


def test_the_numbers_are_those_of_the_run(edited: Trace) -> None:
    (lens,) = parts(draw_panel("vectors", {"vectors": "lens", "text": TEXT}, edited), "lens_depth")
    shown = lens["rows"][-1]["words"][0][2]
    probabilities = edited["output/logits"][0].softmax(-1).amax(-1)
    assert (probabilities - shown).abs().min() < 1e-3


@pytest.mark.parametrize("name", ["heads", "lab_scaling", "training_film"])
def test_pages_that_compute_are_given_its_sentence_and_model(name: str) -> None:
    page = panel_picture(load_model().trace(TEXT), name, language="zh").page
    assert b'class="missing"' not in page and b'data-screen="screen-0"' in page


def test_without_its_model_it_says_so() -> None:
    away = replace(load_model().trace(TEXT), model_name="elsewhere")
    shown = draw_panel("switch", {"switches": "heads"}, away)["screen"]["html"]
    assert "elsewhere" in shown


def test_what_is_not_there_is_refused(tmp_path: Path, edited: Trace) -> None:
    show: Any = edited.show  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="there are positions"):
        show.nosuch()
    with pytest.raises(TypeError, match="nosuch"):
        show.lens(nosuch=1)
    with pytest.raises(TypeError, match="stack"):
        show.lens(stack="sideways")
    assert {"lens", "beam", "heads", "lab_masks"} <= set(dir(show))
    show.lens(theme="dark").save(tmp_path / "lens.html")
    assert b'data-theme="dark"' in (tmp_path / "lens.html").read_bytes()[:200]
