"""Where a number comes from, as a table; pictures of a run without an import."""

import pytest
from torch import Tensor

import glassformer as gf
from glassformer.core.errors import GlassformerError

SENTENCE = "I love you"


def test_a_number_is_followed_back_to_an_embedding() -> None:
    run = gf.load_model().trace(SENTENCE)
    trail = run.show.trail("output/logits", row=1)
    table = trail.table()
    logits: Tensor = run["output/logits"][0, 1]
    at = int(logits.abs().argmax())
    assert table.address.tolist()[0] == "output/logits" and "vocabulary" in table.place[0]
    assert table.value[0] == pytest.approx(float(logits[at]))
    for step in trail.nodes:  # each is the run's own number
        assert step.recorded == pytest.approx(float(run[step.cell.address][step.cell.index]))
    assert trail.nodes[-1].operation == "look_up"
    assert "steps" in repr(trail) and "<table" in trail.show().html
    with pytest.raises(GlassformerError, match="99 does not exist"):
        run.show.trail("output/logits", row=99)


def test_pictures_need_no_import() -> None:
    model = gf.load_model()
    run, written = model.trace(SENTENCE), model.generate(SENTENCE, record="steps")
    assert b"<html" in run.show.heads().page
    assert b"<html" in written.show.steps().page
    assert "probability" in written.show().html
    assert "probability" in model.generate(SENTENCE).show.steps().html
