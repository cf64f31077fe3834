"""The middle of the Switch page: what is in view, the way to the first change, what is said."""

import numpy as np
import pytest
import torch

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.tensors import TensorScale
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.trace import Trace
from tests.app.test_beside import TIRED, WIDE, charts, numbers, pictures
from tests.opened_app import opened, state_of


@pytest.fixture(scope="module")
def causal() -> tuple[Trace, Trace]:
    model = load_model()
    return model.trace(TIRED), run(Experiment.from_text("causal"), model, TIRED)


def test_where_nothing_differs_a_button_leads_to_the_first_change(
    causal: tuple[Trace, Trace],
) -> None:
    app = opened("switch", edits="causal")  # the encoder is in view
    one, two = pictures(app, "beside_switch")[:2]
    assert (one == two).all()
    app.button(key="beside_to_first").click().run()
    now = state_of(app)
    recorded = list(causal[0])
    before = recorded[: recorded.index(now.address)]
    assert all(torch.equal(causal[0][each], causal[1][each]) for each in before)
    assert (now.address, now.kind, now.layer) == ("decoder/0/self_attention/mask", "decoder", 0)
    one, two = pictures(app, "beside_switch")[:2]
    assert (one != two).any()
    assert "beside_to_first" not in {each.key for each in app.button}


def test_the_first_change_in_an_attention_map_brings_its_map() -> None:
    app = opened("switch", edits="heads_redirected:decoder/1/cross_attention,(),5,(6)")
    app.button(key="beside_to_first").click().run()
    now = state_of(app)
    assert (now.kind, now.layer, now.stage) == ("cross", 1, "weights")
    assert app.selectbox(key="widget_beside_what").value == "attention"
    step = pictures(app, "beside_switch")[2]
    assert np.nonzero(np.nan_to_num(step))[0].min() == 6  # the row that was turned


@pytest.mark.parametrize("address", ["memory", "source/input", "decoder/1/cross_attention/context"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tensor_has_its_title_its_place_and_its_head(address: str, language: str) -> None:
    app = opened("switch", edits="causal", address=address, head="3", language=language)
    title = say(site_at(address).text_key, language)
    assert [each.value for each in app.markdown if each.value == f"**{title}**"]
    heads = [each for each in app.segmented_control if "beside_switch_tensor" in each.key]
    assert bool(heads) == (address == "decoder/1/cross_attention/context")
    if heads:
        before = pictures(app, "beside_switch")[0]
        assert heads[0].value == 2
        heads[0].set_value(0).run()
        assert state_of(app).head == 0
        assert (pictures(app, "beside_switch")[0] != before).any()


def test_where_no_number_differs_nothing_leads_to_a_change() -> None:
    app = opened("switch", edits="padding_off")  # a sentence alone has no padding
    assert "Not one number differs here." in str(charts(app, "beside_switch")["layout"])
    assert "beside_to_first" not in {each.key for each in app.button}


def test_the_first_change_is_the_experiment_s_beside_a_second_sentence() -> None:
    app = opened("switch", edits="causal", second=WIDE)
    app.button(key="beside_to_first").click().run()
    assert state_of(app).address == "decoder/0/self_attention/mask"


@pytest.mark.parametrize("group", ["heads", "masks", "concepts"])
def test_attention_comes_into_view_with_the_groups_about_it(group: str) -> None:
    app = opened("switch", edits="dropout", address="source/input")
    app.segmented_control(key="widget_switch_groups").set_value(group).run()
    assert state_of(app).switches == group
    assert state_of(app).address == ("source/input" if group == "concepts" else "")


def test_rounding_is_called_so_and_stays_pale() -> None:
    """Scores a few last bits larger: weights that differ as by rounding, on any machine."""
    edits = Experiment((TensorScale("decoder/1/self_attention/scaled", by=1.0000004),)).text
    query = {"edits": edits, "kind": "decoder", "layer": "2", "head": "4"}
    app = opened("switch", text="The girl is reading a book in the room", **query)
    data = charts(app, "beside_switch")
    step = numbers(data["data"][2]["z"])
    assert 0 < np.nanmax(np.abs(step)) < 1e-6
    assert data["data"][2]["zmax"] == pytest.approx(1e-6, rel=0.5)
    texts = [note["text"] for note in data["layout"]["annotations"]]
    assert "Largest difference: rounding only" in " ".join(texts)


def test_with_large_type_the_largest_difference_stands_below() -> None:
    query = {"edits": "causal", "kind": "decoder", "layer": "1", "head": "4"}
    small, large = (opened("switch", size=size, **query) for size in ("100", "150"))
    texts = [
        [note["text"] for note in charts(app, "beside_switch")["layout"]["annotations"]]
        for app in (small, large)
    ]
    assert "Largest difference" in texts[0]
    assert "Largest difference" not in texts[1]
    assert any(each.value.startswith("**Largest difference**") for each in large.caption)
    assert not any("Largest difference" in each.value for each in small.caption)
