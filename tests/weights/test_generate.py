"""Written under edits, with keys and values kept: word for word what `transformers` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer import load_model
from glassformer.core.decoding.rows import EditTapes, KeptRows, rows_of
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.model import Model
from glassformer.core.trace.graph import layer_end
from glassformer.core.trace.tape import Edit
from glassformer.core.weights.opened_model import open_model
from tests.fake_device import DEVICE, fake_device, on_device
from tests.weights.folders import whole

WRITERS = ["marian", "bart", "m2m100", "t5", "mt5", "gpt2", "llama 3", "qwen3"]
TEXT = "I like the small house"
WORDS = 12


@contextmanager
def hooked(oracle: Any, layer: int, change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """What leaves a layer of the oracle's decoder is changed, in every pass."""

    def hook(_module: Any, _given: Any, found: Any) -> Any:
        return (change(found[0]), *found[1:]) if isinstance(found, tuple) else change(found)

    inner = oracle.base_model
    stack = inner.decoder if oracle.config.is_encoder_decoder else inner
    layers = next(getattr(stack, name) for name in ("layers", "block", "h") if hasattr(stack, name))
    handle = layers[layer].register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def told(oracle: Any, model: Any, text: str = TEXT) -> list[int]:
    """The ids that the oracle writes."""
    ids = torch.tensor([model.tokens.ids(text)])
    never = model.config.pad_id if model.kind == "translate" else None
    found = oracle.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=WORDS, do_sample=False,
        suppress_tokens=None if never is None else [never], pad_token_id=0,
        use_cache="T5" not in type(oracle).__name__,  # its own counts the encoder's layers
    )[0].tolist()  # fmt: skip
    return found[1:] if model.kind == "translate" else found[ids.size(1) :]


def direction(width: int) -> Tensor:
    return torch.linspace(-1, 1, width) ** 3 * 3


@pytest.mark.parametrize("kind", WRITERS)
@torch.no_grad()
def test_steered_words_are_those_of_the_oracle_with_a_hook(kind: str, tmp_path: Path) -> None:
    oracle = whole(kind, tmp_path)
    model = open_model(tmp_path)
    at, along = layer_end(model.config, "decoder", 1), direction(model.config.d_model)
    plain = told(oracle, model)
    assert [*model.generate(TEXT, WORDS).ids] == plain[:WORDS]
    weights = digest(model.transformer)
    moved = 0
    for strength in (1.0, -2.0, 6.0):

        def steer(x: Tensor, by: Tensor = along * strength) -> Tensor:
            return x + by

        with hooked(oracle, 1, steer):
            theirs = told(oracle, model)
        for alone in (True, False):
            edit = Edit(at, steer, each_position=alone)
            assert [*model.generate(TEXT, WORDS, [edit]).ids] == theirs, (strength, alone)
        moved += theirs != plain
    assert moved  # else the hook would prove nothing
    assert digest(model.transformer) == weights


def digest(model: Transformer) -> list[bytes]:
    return [each.numpy().tobytes() for each in model.parameters()]


EDITS: dict[str, Callable[[str], list[Edit]]] = {
    "none": lambda _: [],
    "a position alone": lambda end: [Edit(end, lambda x: x * 1.5, each_position=True)],
    "weights": lambda _: [
        Edit("decoder/1/self_attention/weights", lambda x: x * 0.5, each_position=True)
    ],
    "keys": lambda _: [Edit("decoder/*/self_attention/k", lambda x: x + 0.3, each_position=True)],
    "all positions": lambda end: [Edit(end, lambda x: x - x.mean(1, keepdim=True))],
}


@pytest.mark.parametrize("edits", EDITS)
@pytest.mark.parametrize("kind", ["ours", "marian", "t5", "gpt2", "llama 3", "qwen3"])
def test_steps_joined_are_the_run_of_one_pass(kind: str, edits: str, tmp_path: Path) -> None:
    model: Model = load_model() if kind == "ours" else _opened(kind, tmp_path)
    changes = EDITS[edits](layer_end(model.config, "decoder", 0))
    text = "The animal was too tired." if kind == "ours" else TEXT
    one = model.trace(text, edits=changes)
    found = model.generate(text, len(one.output_ids) - one.given, changes, record="steps")
    steps = found.trace
    assert steps is not None and steps.output_ids == one.output_ids
    assert found.ids == one.output_ids[one.given :] and found.text == one.output_text
    assert list(steps) == list(one) and steps.edits == one.edits
    assert steps.output_tokens == one.output_tokens and steps.target_tokens == one.target_tokens
    for address in one:
        mine, theirs = steps[address], one[address]
        assert mine.shape == theirs.shape and mine.dtype == theirs.dtype, address
        scale = theirs.abs().max() if theirs.is_floating_point() else 1
        assert (mine.float() - theirs.float()).abs().max() <= 1e-5 * scale, address
    table = found.table()
    assert list(table["word"]) == list(found.words) and list(table["id"]) == list(found.ids)


def _opened(kind: str, folder: Path) -> Model:
    whole(kind, folder)
    return open_model(folder)


def test_rows_are_kept_where_an_edit_leaves_them_as_they_were() -> None:
    model = load_model().transformer
    source = torch.tensor([[5, 6, 7]])

    def kept(address: str, alone: bool = False) -> bool:
        tape = EditTapes((Edit(address, lambda x: x, each_position=alone),))
        return isinstance(rows_of(model, source, tape), KeptRows)

    assert kept("decoder/0/*/summed", alone=True) and not kept("decoder/0/*/summed")
    assert kept("encoder/*") and kept("memory") and kept("decoder/*/cross_attention/k")
    assert not kept("*/cross_attention/weights") and not kept("*")


@pytest.mark.parametrize("kind", ["ours", "t5", "llama 3"])
def test_it_writes_on_a_device_without_float64(kind: str, tmp_path: Path) -> None:
    model: Any = load_model() if kind == "ours" else _opened(kind, tmp_path)
    text = "The animal was too tired." if kind == "ours" else TEXT
    edits = EDITS["a position alone"](layer_end(model.config, "decoder", 0))
    here = model.generate(text, WORDS, edits, record="steps")
    with fake_device() as copied:
        on_device(model.transformer)
        there = model.generate(text, WORDS, edits)
        bare = copied.numbers
        recorded = model.generate(text, WORDS, edits, record="steps")
        assert there.ids == recorded.ids == here.ids and recorded.trace is not None
        assert {recorded.trace[each].device for each in recorded.trace} == {DEVICE}
        assert copied.numbers == 2 * bare or recorded.trace.given  # given words have steps, too
        address = layer_end(model.config, "decoder", 0)
        assert torch.equal(recorded.trace[address].cpu(), here.trace[address])


@pytest.mark.parametrize("kind", WRITERS)
@torch.no_grad()
def test_each_text_of_a_list_is_what_the_oracle_writes_for_it_alone(
    kind: str, tmp_path: Path
) -> None:
    oracle = whole(kind, tmp_path)
    model = open_model(tmp_path)
    texts = [TEXT, "the cat", "a house, a small house and a cat"]
    written = model.generate(texts, WORDS)
    for text, each in zip(texts, written, strict=True):
        assert [*each.ids] == told(oracle, model, text)[: len(each.ids)] and each.ids
        assert each.ids == model.generate(text, WORDS).ids and str(each) == each.text
    recorded = model.generate(tuple(texts[:2]), WORDS, record="steps")
    assert [each.ids for each in recorded] == [each.ids for each in written[:2]]


@pytest.mark.parametrize("kind", WRITERS)
def test_ids_are_the_text_that_they_are_of(kind: str, tmp_path: Path) -> None:
    whole(kind, tmp_path)
    model: Any = open_model(tmp_path)
    ids = model.tokens.ids(TEXT)
    [padded] = model.generate(torch.tensor([ids]), WORDS)
    masked = model.generate({"input_ids": [ids], "attention_mask": [[1] * len(ids)]}, WORDS)[0]
    one, typed = model.generate(ids, WORDS, record="steps"), model.generate(TEXT, WORDS)
    assert {each.ids for each in (padded, masked, one)} == {typed.ids}
    assert one.text == typed.text and one.trace is not None
    assert tuple(one.trace.output_ids[-len(one.ids) :]) == typed.ids


def test_ids_of_a_translator_are_of_its_language() -> None:
    model = load_model()
    run = model.run("I like cats.", keep="source/ids")
    ids = run["source/ids"][0].tolist()
    found = model.generate([ids, ids])
    assert [each.text for each in found] == [model.generate("I like cats.").text] * 2


@pytest.mark.parametrize("kind", ["ours", "marian", "gpt2", "llama 3"])
def test_drawn_words_are_the_same_of_the_same_seed(kind: str, tmp_path: Path) -> None:
    model: Any = load_model() if kind == "ours" else _opened(kind, tmp_path)
    how: dict[str, Any] = {"max_new_tokens": WORDS, "temperature": 1.5, "top_k": 50}
    several = model.generate([TEXT] * 6, seed=3, **how)
    assert len({each.ids for each in several}) > 1  # each has a seed of its own
    for place, each in enumerate(several):
        alone = model.generate(TEXT, seed=3 + place, record="steps", **how)
        assert alone.ids == each.ids and alone.text == each.text
        assert alone.trace is not None and alone.trace.output_ids[alone.trace.given :] == each.ids
        told_of = [step.probability for step in each.steps]
        assert told_of == pytest.approx([step.probability for step in alone.steps], rel=1e-4)
    greedily = model.generate(TEXT, WORDS)
    for cold in ({"temperature": 0.0}, {"top_k": 1, "seed": 8}, {"top_p": 0.0}):
        assert model.generate(TEXT, WORDS, **cold).ids == greedily.ids
    edit = Edit(layer_end(model.config, "decoder", 1), lambda x: x * 3, each_position=True)
    steered = model.generate([TEXT] * 6, edits=[edit], seed=3, **how)
    assert [each.ids for each in steered] != [each.ids for each in several]


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"), [(1.0, None, None), (0.5, None, None), (2.0, 4, 0.9)]
)
def test_words_are_drawn_as_often_as_they_are_probable(
    temperature: float, top_k: int | None, top_p: float | None, tmp_path: Path
) -> None:
    model, count = _opened("gpt2", tmp_path), 600
    how = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    drawn = model.generate([TEXT] * count, 1, seed=0, **how)  # type: ignore[arg-type]
    logits = model.run(TEXT)["output/logits"][0, -1].double() / temperature
    chances = logits.softmax(-1)
    if top_k is not None and top_p is not None:  # as `transformers` cuts: first k, then p
        order = chances.argsort(descending=True)[:top_k]
        share = chances[order] / chances[order].sum()
        order = order[: int((share.cumsum(0) < top_p).sum()) + 1]
        chances = torch.zeros_like(chances).index_copy(0, order, chances[order])
        chances /= chances.sum()
    found = torch.bincount(torch.tensor([each.ids[0] for each in drawn]), minlength=len(chances))
    assert not found[chances == 0].any()
    expected = count * chances
    common = expected >= 5  # Pearson's chi-squared wants as many
    both = torch.stack([expected, found.double()])
    several = torch.cat([both[:, common], both[:, ~common].sum(1, keepdim=True)], dim=1)
    several = several[:, several[0] > 0]
    squared = float(((several[1] - several[0]) ** 2 / several[0]).sum())
    freedom = several.size(1) - 1
    assert squared < freedom + 5 * (2 * freedom) ** 0.5  # its mean, and five deviations


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    whole("bert", tmp_path)
    with pytest.raises(GlassformerError) as refused:
        open_model(tmp_path).generate("The house")
    assert refused.value.key == "no_decoder"
    model = load_model()
    for key, how in (
        ("lab_choice", {"record": "all"}),
        ("decoding_range", {"max_new_tokens": 0}),
        ("lab_whole", {"max_new_tokens": 1.5}),
        ("edit_unmatched", {"edits": [Edit("decoder/9/*/summed", lambda x: x)]}),
        ("empty_text", {"text": " "}),
        ("empty_text", {"text": ["I like cats.", " "]}),
        ("run_nothing", {"text": []}),
        ("run_mixed", {"text": ["I like cats.", [5, 6]]}),
        ("run_ids", {"text": None}),
        ("run_ids", {"text": [5, 6.5]}),
        ("out_of_range", {"text": [5, 10**6]}),
        ("decoding_range", {"temperature": -1.0}),
        ("decoding_range", {"top_p": 1.5}),
        ("decoding_range", {"top_k": 0}),
        ("decoding_range", {"seed": -1}),
    ):
        with pytest.raises(GlassformerError) as refused:
            model.generate(**{"text": "I like cats.", **how})  # type: ignore[arg-type]
        assert refused.value.key == key
