"""Every head switch on numbers, beside weights that were cut by hand."""

import copy
from collections.abc import Callable
from functools import cache

import pytest
import torch
from torch import Tensor

from glassformer import Trace, load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, run, setting_of
from glassformer.core.interventions.concepts import Dropout
from glassformer.core.interventions.experiment import REFERENCE, mean_contexts
from glassformer.core.interventions.head_ablation import COPIES, ablated_heads
from glassformer.core.interventions.heads import (
    HeadsAlone,
    HeadsFrozen,
    HeadsOff,
    HeadsRedirected,
    HeadsSwapped,
)
from glassformer.core.interventions.masks import Causal, Fill, Lines
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import TensorNoise, TensorPatch
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.translator import Translator

SENTENCE = "The animal didn't cross the street because it was too tired"
ENCODER, DECODER, CROSS = (
    "encoder/0/self_attention", "decoder/1/self_attention", "decoder/1/cross_attention",
)  # fmt: skip


@cache
def model() -> Translator:
    return load_model("translator")


@cache
def plain() -> Trace:
    return model().trace(SENTENCE)


def forced(*switches: Switch) -> Trace:
    """The plain translation's words under some switches."""
    return run(Experiment(switches), model(), SENTENCE, plain().output_text)


def cut(where: str, change: Callable[[Tensor], None]) -> Tensor:
    """Logits of a copy of the model whose W_O at `where`, as (D, H, K), was changed by hand."""
    other: Transformer = copy.deepcopy(model().transformer)
    stack, layer, kind = where.split("/")
    w_o = getattr(getattr(other, stack).layers[int(layer)], kind).w_o.weight  # (D, D)
    change(w_o.data.view(w_o.size(0), other.config.n_heads, -1))
    with torch.no_grad():
        logits: Tensor = other(plain()["source/ids"], plain()["target/ids"])
    return logits


@pytest.mark.parametrize("where", [ENCODER, DECODER, CROSS])
def test_a_head_that_is_off_contributes_exactly_zero(where: str) -> None:
    trace, wide = forced(HeadsOff(where, (1, 3))), model().config.d_k
    kept = trace[f"{where}/concat"][0].view(-1, 4, wide)  # (T, H, K)
    assert torch.equal(kept[..., [1, 3], :], torch.zeros_like(kept[..., [1, 3], :]))
    assert bool((kept[..., [0, 2], :] != 0).any())

    def silence(w_o: Tensor) -> None:
        w_o[:, [1, 3]] = 0.0

    expected = cut(where, silence)
    assert torch.allclose(trace["output/logits"], expected, atol=1e-5)
    assert not torch.allclose(expected, plain()["output/logits"], atol=1e-2)


def test_a_head_alone_is_the_others_off() -> None:
    alone, off = forced(HeadsAlone(CROSS, (2,))), forced(HeadsOff(CROSS, (0, 1, 3)))
    assert torch.equal(alone["output/logits"], off["output/logits"])

    def solo(w_o: Tensor) -> None:
        w_o[:, [0, 1, 3]] = 0.0

    assert torch.allclose(alone["output/logits"], cut(CROSS, solo), atol=1e-5)


def test_the_mean_of_a_head_is_the_mean_over_the_reference() -> None:
    address = f"{CROSS}/context"
    rows = torch.cat([model().trace(each)[address][0, 1] for each in REFERENCE])  # (rows, K)
    trace = forced(HeadsOff(CROSS, (1,), "mean"))
    said = trace[address][0, 1]  # (T, K)
    assert torch.allclose(said, rows.mean(dim=0).expand_as(said), atol=1e-6)
    assert not torch.allclose(said[0], plain()[address][0, 1, 0], atol=1e-2)
    others = [0, 2, 3]
    assert torch.equal(trace[address][:, others], plain()[address][:, others])
    assert set(mean_contexts(model())) == {a for a in plain() if a.endswith("attention/context")}


def test_heads_without_a_readable_reference_say_so() -> None:
    with pytest.raises(GlassformerError) as error:
        mean_contexts(model(), ["", "…"])
    assert error.value.key == "reference_unreadable"


def test_swapped_contexts_are_swapped_columns() -> None:
    def swap(w_o: Tensor) -> None:
        w_o[:, [0, 2]] = w_o[:, [2, 0]].clone()

    trace = forced(HeadsSwapped(DECODER, (0, 2), "context"))
    assert torch.allclose(trace["output/logits"], cut(DECODER, swap), atol=1e-5)
    three = forced(HeadsSwapped(ENCODER, (0, 1, 3)))[f"{ENCODER}/weights"][0]
    was = plain()[f"{ENCODER}/weights"][0]
    assert torch.equal(three, was[[1, 3, 2, 0]])


def test_swapped_maps_read_the_own_values() -> None:
    trace, was = forced(HeadsSwapped(ENCODER, (0, 2))), plain()
    weights, v = was[f"{ENCODER}/weights"], was[f"{ENCODER}/v"]
    expected = torch.einsum("bts,bsk->btk", weights[:, 2], v[:, 0])
    assert torch.allclose(trace[f"{ENCODER}/context"][:, 0], expected, atol=1e-6)


def test_frozen_uniform_is_even_over_what_may_be_looked_at() -> None:
    weights = forced(HeadsFrozen(DECODER, (1,)))[f"{DECODER}/weights"][0]
    for row in range(weights.size(1)):
        assert torch.allclose(weights[1, row, : row + 1], torch.tensor(1 / (row + 1)))
        assert bool((weights[1, row, row + 1 :] == 0).all())
    everywhere = forced(HeadsFrozen(CROSS))[f"{CROSS}/weights"]
    assert torch.allclose(everywhere, torch.tensor(1 / len(plain().source_tokens)))


def test_frozen_diagonal_looks_at_its_own_place_alone() -> None:
    trace = forced(HeadsFrozen(ENCODER, (0, 3), "diagonal"))
    weights = trace[f"{ENCODER}/weights"][0]
    assert torch.equal(weights[[0, 3]], torch.eye(weights.size(-1)).expand(2, -1, -1))
    assert torch.equal(weights[1], plain()[f"{ENCODER}/weights"][0, 1])
    assert torch.allclose(trace[f"{ENCODER}/context"][:, 0], trace[f"{ENCODER}/v"][:, 0])


def test_a_redirected_head_looks_at_one_key_in_the_rows_said() -> None:
    trace = forced(HeadsRedirected(CROSS, (1, 2), 5, (6, 7)))
    weights, was = trace[f"{CROSS}/weights"][0], plain()[f"{CROSS}/weights"][0]
    for head in range(weights.size(0)):
        for row in range(weights.size(1)):
            turned = head in (1, 2) and row in (6, 7)
            one = torch.nn.functional.one_hot(torch.tensor(5), weights.size(-1)).float()
            assert torch.equal(weights[head, row], one if turned else was[head, row])


def test_the_other_noun_is_written_when_attention_is_turned_to_it() -> None:
    row = plain().output_tokens.index("动物", 1)  # the noun that stands for "it"
    street = plain().source_tokens.index("street")
    trace = run(
        Experiment((HeadsRedirected("decoder/*/cross_attention", (), street, (row,)),)),
        model(), SENTENCE,
    )  # fmt: skip
    assert trace.output_tokens[row] == "马路"
    assert trace.output_tokens[:row] == plain().output_tokens[:row]


@pytest.mark.parametrize(
    ("switch", "lengths"),
    [
        (HeadsRedirected(CROSS, (), 12), (12, 11)),
        (HeadsRedirected(CROSS, (), 5, (11,)), (12, 11)),
        (HeadsOff(CROSS, (4,)), (12, 11)),
        (HeadsSwapped(CROSS, (-1, 0)), (12, 11)),
    ],
)
def test_what_a_run_does_not_have_is_refused(switch: Switch, lengths: tuple[int, int]) -> None:
    with pytest.raises(GlassformerError) as error:
        switch.check(model().config, *lengths)
    assert error.value.key == "out_of_range"


def test_every_head_knocked_out_in_one_batch_is_each_on_its_own() -> None:
    found = ablated_heads(model(), plain())
    assert len({(each.where, each.head) for each in found}) == 24 == len(found) < COPIES
    assert [each.kl for each in found] == sorted((each.kl for each in found), reverse=True)
    words = model().tokenizer.vocabulary
    ids = torch.tensor([words.id(piece) for piece in plain().output_pieces])
    before = plain()["output/probabilities"][0].double()  # (T, V)
    rows = torch.arange(len(ids))
    for each in (found[0], found[7], found[-1]):
        alone = forced(HeadsOff(each.where, (each.head,)))["output/probabilities"][0].double()
        kl = (before * (before.log() - alone.log())).sum(dim=-1)
        assert torch.allclose(torch.tensor(each.divergence, dtype=torch.double), kl, atol=1e-5)
        assert each.kl == pytest.approx(float(kl.mean()), abs=1e-5)
        assert each.before == pytest.approx(before[rows, ids].tolist(), abs=1e-5)
        assert each.after == pytest.approx(alone[rows, ids].tolist(), abs=1e-5)
        assert each.worst == int((before[rows, ids] - alone[rows, ids]).argmax())


def test_knock_outs_in_several_batches_and_to_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ablated_heads(model(), plain(), "mean")
    monkeypatch.setattr("glassformer.core.interventions.head_ablation.COPIES", 7)
    parts = ablated_heads(model(), plain(), "mean")
    assert [(each.where, each.head) for each in parts] == [(e.where, e.head) for e in whole]
    first = whole[0]
    alone = forced(HeadsOff(first.where, (first.head,), "mean"))["output/probabilities"][0]
    assert max(first.after) == pytest.approx(float(_written(alone).max()), abs=1e-5)
    assert parts[0].divergence == pytest.approx(first.divergence, abs=1e-5)


def _written(probabilities: Tensor) -> Tensor:
    words = model().tokenizer.vocabulary
    ids = torch.tensor([words.id(piece) for piece in plain().output_pieces])
    return probabilities[torch.arange(len(ids)), ids]


@pytest.mark.parametrize(
    "switches",
    [
        (Causal(), Fill("additive")),
        (Dropout(3, 0.2),),
        (TensorNoise("source/input", spread=0.5, draw=3), TensorNoise(f"{CROSS}/scaled", draw=1)),
        (TensorPatch("source/input", (("position", (10,)),), SENTENCE.replace("tired", "wide")),),
    ],
    ids=["masks", "dropout", "noise", "patch"],
)
def test_knock_outs_hold_within_an_experiment(switches: tuple[Switch, ...]) -> None:
    """Of what is drawn, every copy has what the run of the experiment has."""
    off = HeadsOff(CROSS, (3,))
    found = ablated_heads(model(), plain(), experiment=Experiment((off, *switches)))
    again = next(each for each in found if (each.where, each.head) == (CROSS, 3))
    # It was off before. Its copy lies elsewhere in the batch: the last bits may be others.
    assert again.before == pytest.approx(again.after, abs=1e-5)
    assert again.kl == pytest.approx(0, abs=1e-5)
    base = forced(off, *switches)["output/probabilities"][0]
    assert again.before == pytest.approx(_written(base).tolist(), abs=1e-5)


def test_the_means_are_asked_for_only_where_they_are_needed() -> None:
    asked: list[int] = []

    def means() -> dict[str, Tensor]:
        asked.append(1)
        return dict(mean_contexts(model()))

    given = setting_of(model(), means=means)
    run(Experiment((HeadsOff(CROSS, (1,)),)), model(), SENTENCE, asked=given)
    assert not asked
    run(Experiment((HeadsOff(CROSS, (1,), "mean"),)), model(), SENTENCE, asked=given)
    assert asked == [1]


def test_knock_outs_survive_nan() -> None:
    closed = Experiment((Lines(ENCODER, (1,), (1,)), Fill("minus_infinity")))
    found = ablated_heads(model(), plain(), experiment=closed)
    assert len(found) == 24
    assert all(torch.tensor(each.before).isnan().all() for each in found)
    healed = [each for each in found if not torch.tensor(each.after).isnan().any()]
    assert [(each.where, each.head) for each in healed] == [(ENCODER, 1)]  # the head that broke it
