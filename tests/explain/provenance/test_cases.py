"""The trail where a run is out of the ordinary: masks, edits, choices, refusals."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pytest
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.explain.provenance.node import Cell, Index, Node
from glassformer.core.explain.provenance.run import Run
from glassformer.core.explain.provenance.unfold import largest_path, unfold
from glassformer.core.explain.steps.numbers import node_at
from glassformer.core.explain.steps.steps import list_steps
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace
from tests.explain.provenance.trail_runs import OUTPUT, SIZES, bundled, bundled_trace, cells, small

FILLS = {"large_negative": -1e9, "minus_infinity": -math.inf, "additive": -math.inf}
SELF = "decoder/0/self_attention"
ANIMAL = "The animal didn't cross the street because it was too tired"


def facts(node: Node) -> dict[str, float]:
    return {fact.key: fact.value for fact in node.facts}


def blind(mask: Tensor) -> Tensor:
    """Nobody may look anywhere from the third row on."""
    mask[..., 2:, :] = False
    return mask


@pytest.mark.parametrize("fill", FILLS)
def test_a_forbidden_cell(fill: str) -> None:
    trace, model = small(mask_fill=fill)
    index = (0, 1, 1, 3)  # the future
    node = unfold(trace, model, f"{SELF}/masked", index)
    assert node.notes == ("forbidden",)
    assert node.exact == node.recorded == FILLS[fill]
    assert node.difference == 0
    assert Cell(f"{SELF}/mask", index) in [
        cell for term in node.ranked() for factor in term.factors for cell in factor.sources
    ]
    assert largest_path(trace, model, node.cell)[-1].cell == node.cell
    weight = unfold(trace, model, f"{SELF}/weights", index)
    assert (weight.exact, weight.notes, weight.verdict) == (0.0, ("forbidden",), "agrees")
    assert facts(weight)["allowed_keys"] == 2
    mask = unfold(trace, model, f"{SELF}/mask", index)
    assert {factor.role: factor.value for factor in next(mask.ranked()).factors} == {
        "not_padding": 1.0, "not_future": 0.0,
    }  # fmt: skip


def test_padding_is_forbidden_by_its_word() -> None:
    trace, model = small(source=("a", "<pad>", "b"))
    for where in ("encoder/1/self_attention", "decoder/1/cross_attention"):
        node = unfold(trace, model, f"{where}/mask", (0, 0, 2, 1))
        assert (node.exact, node.verdict, node.notes) == (0.0, "agrees", ("forbidden",))
        assert next(node.ranked()).factors[0].sources == (Cell("source/ids", (0, 1)),)
    for cell in cells(trace):
        assert unfold(trace, model, cell.address, cell.index).verdict == "agrees"


@pytest.mark.parametrize("fill", FILLS)
def test_a_row_that_may_look_nowhere(fill: str) -> None:
    trace, model = small([Edit(f"{SELF}/mask", blind)], mask_fill=fill)
    node = unfold(trace, model, f"{SELF}/weights", (0, 0, 2, 1))
    assert node.notes == ("nowhere", "forbidden")
    assert facts(node)["allowed_keys"] == 0
    assert (node.difference, node.verdict) == (pytest.approx(0, abs=1e-7), "agrees")
    if fill == "large_negative":
        assert node.exact == pytest.approx(1 / 4)
    else:
        assert math.isnan(node.exact)
    seen = unfold(trace, model, f"{SELF}/mask", (0, 0, 2, 1))
    assert (seen.recorded, seen.exact, seen.verdict) == (0.0, 1.0, "edited")
    for cell in cells(trace):  # what is NaN from here on agrees that it is
        if not cell.address.startswith(f"{SELF}/mask"):
            assert unfold(trace, model, cell.address, cell.index).verdict == "agrees"


EDITS: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("encoder/0/self_attention/weights", lambda x: x.roll(1, -1)),
    ("decoder/1/feed_forward/activation", lambda x: x + 1),
    ("encoder/1/feed_forward_norm/normalized", lambda x: x * 2),
    ("decoder/0/cross_attention/q", lambda x: x + 0.5),
    ("memory", lambda x: x * 0.5),
    ("target/positions", lambda x: x + 0.25),
    ("source/ids", lambda x: x.roll(1, -1)),
    ("encoder/1/self_attention_residual/stream", lambda x: x * 0 + 0.125),
)


@pytest.mark.parametrize("address, change", EDITS, ids=[address for address, _ in EDITS])
def test_an_edit_shows_where_it_was_made_and_nowhere_else(
    address: str, change: Callable[[Tensor], Tensor]
) -> None:
    trace, model = small([Edit(address, change)])
    verdicts: dict[str, set[str]] = {}
    for cell in cells(trace, each=6):
        node = unfold(trace, model, cell.address, cell.index)
        verdicts.setdefault(cell.address, set()).add(node.verdict)
    assert "edited" in verdicts.pop(address)
    assert set.union(*verdicts.values()) == {"agrees"}


def test_weights_that_did_not_make_the_run_are_noticed() -> None:
    trace, model = small()
    other = Transformer(model.config).requires_grad_(False)
    node = unfold(trace, other, "encoder/0/self_attention/q", (0, 0, 0, 0))
    assert node.verdict == "differs"


@pytest.mark.parametrize("text", [ANIMAL, "我和同学一起听音乐", "Stop"])
def test_a_word_that_was_read_is_the_one_that_the_row_before_wrote(text: str) -> None:
    trace, model = bundled_trace(text), bundled().transformer
    for row, step in enumerate(trace.steps):
        node = unfold(trace, model, "output/probabilities", (0, row, step.chosen))
        assert abs(step.probability - node.exact) <= 1e-5  # with keys and values remembered
        assert abs(step.probability - node.recorded) <= 1e-5
        assert node.own is not None
        assert trace.vocabulary[node.own.index] == trace.output_pieces[row]
        best = int(trace["output/probabilities"][0, row].argmax())
        assert next(node.ranked()).index == best
        assert (step.chosen == best) == (step.candidates[0][0] == step.chosen)
    ids = unfold(trace, model, "target/ids", (0, 1))
    assert (ids.verdict, ids.notes) == ("agrees", ())
    written = Cell("output/probabilities", (0, 0, trace.steps[0].chosen))
    assert next(ids.ranked()).factors[0].sources == (written,)
    assert unfold(trace, model, "target/ids", (0, 0)).notes == ("given",)


def test_a_word_that_was_not_the_most_probable_one() -> None:
    trace, model = bundled_trace(ANIMAL), bundled().transformer
    second = trace.steps[0].candidates[1][0]
    step = dataclasses.replace(trace.steps[0], chosen=second)
    changed = dataclasses.replace(trace, steps=(step, *trace.steps[1:]))
    node = unfold(changed, model, "output/probabilities", (0, 0, second))
    assert [term.index for term in node.ranked()].index(second) == 1  # the second by probability
    choice = next(each for each in list_steps(changed) if each.kind == "choice")
    taken = node_at(Run(changed, model), choice, {"position": 0})
    assert (taken.exact, taken.verdict) == (second, "differs")  # the recording has the first
    source = next(taken.ranked()).factors[0].sources[0]
    assert source == Cell("output/probabilities", (0, 0, second))


def test_a_forced_target_was_given() -> None:
    trace, model = small()
    given = next(each for each in list_steps(trace) if each.kind == "given")
    chosen = node_at(Run(trace, model), given, {"position": 0})
    assert chosen.operation == "token"
    assert trace.vocabulary[int(chosen.exact)] == OUTPUT[0]
    assert chosen.recorded == chosen.exact
    token = unfold(trace, model, "target/ids", (0, 2))
    assert (token.notes, next(token.ranked()).factors[0].sources) == (("given",), ())


def test_words_of_copy_slots_are_shown_as_typed() -> None:
    trace, model = bundled_trace(ANIMAL), bundled().transformer
    piece = trace.vocabulary[trace.steps[0].chosen]
    shown = dataclasses.replace(trace, surfaces={piece: "Zoë"})
    own = unfold(shown, model, "output/probabilities", (0, 0, trace.steps[0].chosen)).own
    assert own is not None
    assert own.text == "Zoë"


def test_an_attention_map_left_out_to_save_memory() -> None:
    translator: Translator = bundled()
    slim, full = translator.trace(ANIMAL, memory_budget=0), bundled_trace(ANIMAL)
    index = (0, 1, 3, 2)
    for name in ("scores", "scaled", "masked", "weights"):
        address = f"encoder/1/self_attention/{name}"
        assert address not in slim.tensors
        found, whole = (
            unfold(trace, translator.transformer, address, index) for trace in (slim, full)
        )
        assert (found.exact, found.recorded) == pytest.approx(
            (whole.exact, whole.recorded), rel=1e-5
        )


def test_closed_and_open_units() -> None:
    trace, model = small()
    address = "encoder/0/feed_forward/activation"
    for unit in range(SIZES["d_ff"]):
        node = unfold(trace, model, address, (0, 1, unit))
        assert ("inactive" in node.notes) == (node.recorded == 0)


@pytest.mark.parametrize(
    ("address", "index", "key"),
    [
        ("encoder/0/attention/q", (0, 0, 0, 0), "unknown_address"),
        ("encoder/0/self_attention/q", (0, 0, 0), "trail_cell"),
        ("source/positions", (0, 0, 0), "trail_cell"),
        ("encoder/0/self_attention/q", (0, 2, 0, 0), "out_of_range"),
        ("encoder/0/self_attention/q", (0, 0, -1, 0), "out_of_range"),
        ("output/logits", (1, 0, 0), "out_of_range"),
        ("output/probabilities", (0, -1, 0), "out_of_range"),
        ("output/probabilities", (0, len(OUTPUT) + 1, 0), "out_of_range"),
    ],
)
def test_what_names_no_number_is_refused(address: str, index: Index, key: str) -> None:
    trace, model = small()
    with pytest.raises(GlassformerError) as caught:
        unfold(trace, model, address, index)
    assert caught.value.key == key


def test_a_model_of_another_config_is_refused() -> None:
    made: tuple[Trace, Any] = small()
    _, other = small(norm_place="pre")
    with pytest.raises(GlassformerError) as caught:
        unfold(made[0], other, "source/input", (0, 0, 0))
    assert caught.value.key == "trail_model"
