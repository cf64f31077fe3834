"""Experiments as values: written and read again, undone, compared; empty ones change nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from glassformer import Trace, load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, run, setting_of
from glassformer.core.interventions.concepts import Dropout, NormOff, NormPlaceIs, PositionTable
from glassformer.core.interventions.experiment import fingerprint, with_config
from glassformer.core.interventions.heads import (
    HeadsAlone,
    HeadsFrozen,
    HeadsOff,
    HeadsRedirected,
    HeadsSwapped,
)
from glassformer.core.interventions.masks import Band, Causal, Fill, Lines, PaddingOff, Painted
from glassformer.core.interventions.switch import KINDS, from_text, to_text
from glassformer.core.interventions.tensors import TensorSet
from glassformer.core.text_models.translator import Translator

SENTENCE = "The animal didn't cross the street because it was too tired"
EVERYTHING = Experiment(
    (
        Causal("encoder/*", on=True),
        PaddingOff("target"),
        Fill("additive"),
        Band("decoder/1/self_attention", (0, 3), -2, 0),
        Lines("encoder/0/self_attention", (), (), (3,)),
        Painted("encoder/1/*", (2,)).brushed([(0, 1), (0, 2), (4, 4)], "hide"),
        HeadsOff("encoder/0/self_attention", (1,), "mean"),
        HeadsAlone("decoder/0/cross_attention", (2,)),
        HeadsSwapped("decoder/0/self_attention", (0, 1), "context"),
        HeadsFrozen("decoder/1/self_attention", (1,), "diagonal"),
        HeadsRedirected("decoder/1/cross_attention", (), 5, (6,)),
    ),
    name="all, and (more); 一切",
)


@cache
def model() -> Translator:
    return load_model("translator")


@cache
def plain() -> Trace:
    return model().trace(SENTENCE)


def key_of(call: object) -> str:
    with pytest.raises(GlassformerError) as error:
        call()  # type: ignore[operator]
    return error.value.key


def test_the_example_holds_every_kind_of_mask_and_head() -> None:
    own = {kind for kind, each in KINDS.items() if each.__module__.endswith((".masks", ".heads"))}
    assert own == {each.kind for each in EVERYTHING.switches}


def test_an_empty_experiment_is_the_plain_run_bit_for_bit() -> None:
    trace = run(Experiment(), model(), SENTENCE)
    assert list(trace) == list(plain())
    for address in plain():
        assert torch.equal(trace[address], plain()[address]), address
    assert trace.output_text == plain().output_text


def test_equal_experiments_give_equal_bits_and_leave_the_model_alone() -> None:
    before = {name: weight.clone() for name, weight in model().transformer.named_parameters()}
    first = run(EVERYTHING, model(), SENTENCE)
    second = run(Experiment.from_text(EVERYTHING.text), model(), SENTENCE)
    for address in first:
        assert torch.equal(first[address], second[address]), address
    assert not torch.equal(first["output/logits"][:, 0], plain()["output/logits"][:, 0])
    assert all(torch.equal(w, before[n]) for n, w in model().transformer.named_parameters())
    again = model().trace(SENTENCE)
    assert torch.equal(again["output/logits"], plain()["output/logits"])


def test_a_link_and_a_file_give_back_the_experiment() -> None:
    assert Experiment.from_text(EVERYTHING.text, EVERYTHING.name) == EVERYTHING
    assert Experiment.from_json(EVERYTHING.to_json(model()), model()) == EVERYTHING
    assert Experiment.from_text("") == Experiment()
    assert Experiment((Causal(),)).text == "causal"  # defaults are not written
    assert Experiment((HeadsOff("encoder/0/self_attention", (1, 2)),)).text == (
        "heads_off:encoder/0/self_attention,(1,2)"
    )


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)
    | st.text(max_size=8)
    | st.sampled_from(["", "12", "-1.5", "!0", "'", "a,b", "()", "欢迎 来", "+", "%41", ";"]),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@given(st.lists(st.lists(VALUES, max_size=4), min_size=1, max_size=3))
def test_any_plain_values_survive_a_link(switches: list[list[object]]) -> None:
    text = ";".join(to_text("kind", values) for values in switches)
    found = from_text(text)
    assert found == [("kind", values) for values in switches]
    assert repr(found) == repr([("kind", values) for values in switches])  # 1 is not True


@given(st.text(alphabet="causl:heds_of,()!0'%;-1.e9+/*", max_size=40))
def test_no_link_breaks_the_reader(text: str) -> None:
    try:
        found = Experiment.from_text(text)
    except GlassformerError:
        return
    assert Experiment.from_text(found.text) == found


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("nothing:1", "experiment_kind"),
        ("causal:*,2", "experiment_value"),
        ("positions_shuffled:0.5", "experiment_value"),  # not an int: refused at once, not sought
        ("causal:*,!0,!0", "experiment_value"),
        ("heads_off:*,1", "experiment_value"),
        ("heads_off:*,(x)", "experiment_value"),
        ("heads_off:*,(1", "experiment_damaged"),
        ("heads_alone:*", "experiment_value"),
        ("heads_swapped:*,(1)", "experiment_value"),
        ("heads_swapped:*,(1,2,1)", "experiment_value"),
        ("heads_off:" + "(" * 5000, "experiment_damaged"),
        ("band:*,(),2,1", "experiment_value"),
        ("band:*,(),-1e999,1", "experiment_value"),
        ("mask_fill:zero", "experiment_value"),
        ("painted:*,(),((0,0,999999999999),)", "experiment_value"),
        (";".join(["causal"] * 201), "experiment_damaged"),
    ],
)
def test_a_link_that_names_nothing_is_refused(text: str, key: str) -> None:
    assert key_of(lambda: Experiment.from_text(text)) == key


def test_a_file_of_another_model_or_a_newer_version_is_refused() -> None:
    about = json.loads(EVERYTHING.to_json(model()))
    newer, foreign = {**about, "format": 2}, {**about, "kind": "trace"}
    odd = {**about, "switches": [{"kind": ["causal"]}]}
    assert key_of(lambda: Experiment.from_json(json.dumps(newer), model())) == "experiment_newer"
    for damaged in ("", "[]", "null", "{}", json.dumps(foreign), json.dumps(about)[:-9]):
        assert key_of(lambda: Experiment.from_json(damaged, model())) == "experiment_damaged"  # noqa: B023
    assert key_of(lambda: Experiment.from_json(json.dumps(odd), model())) == "experiment_kind"
    other = load_model("translator-plain")
    text = EVERYTHING.to_json(model())
    assert key_of(lambda: Experiment.from_json(text, other)) == "experiment_model"


def test_the_fingerprint_is_of_weights_config_and_words() -> None:
    marks = {fingerprint(model()), fingerprint(load_model("translator-plain"))}
    marks.add(fingerprint(with_config(model(), replace(model().config, norm_place="pre"))))
    marks.add(fingerprint(load_model("translator@100")))
    assert len(marks) == 4
    assert fingerprint(load_model("translator")) == fingerprint(model())


def test_another_config_shares_every_weight_and_draws_nothing() -> None:
    state = torch.get_rng_state()
    other = with_config(model(), replace(model().config, mask_fill="additive"))
    assert torch.equal(torch.get_rng_state(), state)
    mine = dict(other.transformer.named_parameters())
    for name, weight in model().transformer.named_parameters():
        assert mine[name].data_ptr() == weight.data_ptr()
    assert model().config.mask_fill == "large_negative"


def test_two_readers_at_once_never_see_each_others_experiment() -> None:
    several = [
        Experiment(),
        Experiment((Fill("additive"), HeadsOff("decoder/1/cross_attention"))),
        EVERYTHING,
        Experiment((Causal(), HeadsFrozen("*"))),
    ]
    alone = [run(each, model(), SENTENCE)["output/logits"] for each in several]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda each: run(each, model(), SENTENCE), several * 3))
    for index, trace in enumerate(together):
        same = torch.allclose(trace["output/logits"], alone[index % 4], atol=1e-4)
        assert same, several[index % 4].text  # each changes logits by more than 10


def test_what_no_longer_fits_is_named_and_the_rest_kept() -> None:
    good, far = Causal(), Painted("encoder/0/self_attention").brushed([(0, 11)], "hide")
    head, layer = HeadsOff("encoder/0/self_attention", (4,)), HeadsOff("encoder/2/self_attention")
    experiment = Experiment((good, far, head, layer))
    found = experiment.misfits(model().config, 5, 5)
    keys = {switch: error.key for switch, error in found.items()}
    assert keys == {far: "mask_cells_outside", head: "out_of_range", layer: "edit_unmatched"}
    assert far not in experiment.misfits(model().config, 12, 5)
    trace = run(Experiment((good, far)), model(), "I have a cat")  # a cell that is not there
    assert trace.output_text == run(Experiment((good,)), model(), "I have a cat").output_text


def test_what_another_switch_adds_or_takes_away_counts() -> None:
    """A final norm and dropout, of which the plain model has neither."""
    final, norm = NormPlaceIs("pre", True), NormOff("encoder/norm")
    dropout, kept = Dropout(3, 0.2), TensorSet("encoder/0/feed_forward/kept", value=1)
    assert set(Experiment((norm, kept)).misfits(model().config, 5, 5)) == {norm, kept}
    experiment = Experiment((norm, kept, final, dropout))
    assert not experiment.misfits(model().config, 5, 5)
    trace = run(experiment, model(), "I have a cat")
    address = "encoder/1/feed_forward_residual/summed"
    assert torch.equal(trace["encoder/norm/output"], trace[address])
    assert bool(trace["encoder/0/feed_forward/kept"].all())
    assert not trace["encoder/1/feed_forward/kept"].all()
    refused = Experiment((PositionTable("learned"), norm)).misfits(model().config, 5, 5)
    assert {switch: error.key for switch, error in refused.items()} == {
        PositionTable("learned"): "experiment_value", norm: "edit_unmatched"
    }  # fmt: skip


def test_the_edits_of_an_experiment_are_those_of_a_trace() -> None:
    experiment = Experiment((HeadsOff("decoder/1/cross_attention", (0, 1)), Causal()))
    edits = experiment.edits(setting_of(model()))
    trace = model().trace(SENTENCE, edits=edits)
    assert torch.equal(trace["output/logits"], run(experiment, model(), SENTENCE)["output/logits"])
    assert set(trace.edits) == {each.text for each in experiment.switches}
