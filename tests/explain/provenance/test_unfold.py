"""Every number of every site unfolds into numbers that make it again."""

import itertools
import math
from typing import Any, get_args

import numpy as np
import pytest
import torch

from glassformer.app.words import texts_of_language
from glassformer.core.explain.provenance.node import (
    TOLERANCE,
    Cell,
    FactKey,
    Node,
    Note,
    Role,
    Term,
)
from glassformer.core.explain.provenance.unfold import largest_path, next_cell, unfold
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.sites import SITES, site_at
from glassformer.core.trace.trace import Trace
from tests.conventions import FAMILIES, with_every_choice
from tests.explain.provenance.trail_runs import bundled, bundled_trace, cells, small

SENTENCES = (
    "The animal didn't cross the street because it was too tired",
    "我和同学一起听音乐",
    "Stop",
)
# Factors that stand in the trace as they are.
PLAIN: frozenset[Role] = frozenset(
    {
        "embedding", "position", "copied", "stream", "branch", "state", "normalized", "query",
        "key", "score", "scaled", "weight", "value", "pre_activation", "activation", "up"
    }
)  # fmt: skip
CONVENTIONS = with_every_choice((
    {"norm_place": "pre", "final_norm": True, "norm_formula": "sample", "norm_epsilon": 1e-6},
    {"positions": "notes", "activation": "gelu", "mask_fill": "minus_infinity"},
    {"positions": "halves", "activation": "gelu_tanh", "mask_fill": "additive"},
    {"positions": "learned", "d_model": 15, "n_heads": 3, "embedding_scale": False},
    {"positions": "none", "attention_bias": False, "generator_bias": False},
    {"tie_attention": True, "share_embeddings": True, "tie_generator": True},
    {"norm_place": "pre", "positions": "none", "final_norm": True, "encoder_layers": 1},
    {"pad_id": 4},  # the begin token's own, as in Marian
    *FAMILIES,
))  # fmt: skip


def check(trace: Trace, model: Any, cell: Cell) -> Node:
    node = unfold(trace, model, cell.address, cell.index)
    assert node.recorded == float(trace[cell.address][cell.index])
    summed = float(np.abs(node.contributions).sum())  # large terms may cancel
    tolerance = TOLERANCE * max(1, 0.1 * summed if math.isfinite(summed) else 0)
    assert abs(node.difference) <= tolerance, cell
    single = in_float32(node)
    same = single == node.recorded or (math.isnan(single) and math.isnan(node.recorded))
    by_hand = max(tolerance, TOLERANCE * abs(node.recorded))
    assert same or abs(node.recorded - single) <= by_hand, cell
    assert node.verdict == ("given" if node.operation == "draw" else "agrees")
    assert f"trail.operation_{node.operation}" in texts_of_language("en")
    assert set(node.notes) <= set(get_args(Note))
    assert {fact.key for fact in node.facts} <= set(get_args(FactKey))
    assert node.formula.count("{") == node.formula.count("}")
    for column in (column for group in node.groups for column in group.columns):
        assert column.symbol.count("{") == column.symbol.count("}")
    for term in node.shown(3)[0]:
        check_factors(trace, model, term)
    return node


def in_float32(node: Node) -> float:
    """The same sum as the reader's own calculation has it: each step rounded to float32."""
    if not node.groups:
        return node.recorded
    with np.errstate(all="ignore"):
        if node.outer in ("sin", "cos"):  # in float64 and rounded, as in the model
            return float(np.float32(getattr(np, node.outer)(node.contributions.sum())))
        products = []
        for group in node.groups:
            product = np.ones(group.size, np.float32)
            for column in group.columns:
                product = product * column.values.astype(np.float32)
            products.append(product)
        total = np.sum([each.sum(dtype=np.float32) for each in products], dtype=np.float32)
        if node.outer == "share":
            return float(products[0][node.groups[0].own] / total)
        return float(np.sqrt(total) if node.outer == "sqrt" else total)


def check_factors(trace: Trace, model: Any, term: Term) -> None:
    assert term.contribution == math.prod(factor.value for factor in term.factors)
    for factor in term.factors:
        assert factor.role in get_args(Role)
        for source in factor.sources:
            recorded = float(trace[source.address][source.index])
            if factor.role in PLAIN:
                assert factor.value == recorded
        if factor.parameter is not None:
            learned = model.get_parameter(factor.parameter.address)[factor.parameter.index]
            assert factor.value == float(learned)


@pytest.mark.parametrize("text", SENTENCES)
def test_every_site_of_the_bundled_model(text: str) -> None:
    trace, seen = bundled_trace(text), set()
    for cell in cells(trace):
        seen.add(trace.site(check(trace, bundled().transformer, cell).cell.address))
    records_here = set(map(trace.site, addresses(trace.config)))
    assert seen == records_here <= set(SITES)


def test_every_site_is_recorded_by_some_model() -> None:
    recorded = {
        site_at(each)
        for changes in ({}, *FAMILIES)
        for each in addresses(small(**changes)[0].config, dropout=True)
    }
    assert recorded == set(SITES)


@pytest.mark.parametrize("config", CONVENTIONS, ids=lambda config: ",".join(map(str, config)))
def test_every_site_of_other_conventions(config: dict[str, Any]) -> None:
    trace, model = small(**config)
    for cell in cells(trace, each=8):
        check(trace, model, cell)


def test_every_number_of_one_attention() -> None:
    trace, model = small()
    where = "decoder/1/self_attention"
    for name in ("q", "scores", "mask", "masked", "weights", "context", "concat"):
        address = f"{where}/{name}"
        for index in itertools.product(*map(range, trace[address].shape)):
            check(trace, model, Cell(address, index))


def test_a_run_with_dropout() -> None:
    trace, model = small(dropout_seed=5, dropout=0.4)
    assert {trace.site(cell.address).name for cell in cells(trace, 1)} >= {"kept"}
    notes = set()
    for cell in cells(trace, each=12):
        notes |= set(check(trace, model, cell).notes)
    assert "dropped" in notes
    node = unfold(trace, model, "encoder/0/self_attention/context", (0, 1, 2, 3))
    dropout = [
        factor for term in node.ranked() for factor in term.factors if factor.role == "dropout"
    ]
    assert {round(factor.value, 6) for factor in dropout} <= {0.0, round(1 / 0.6, 6)}
    assert all(factor.sources[0].address.endswith("/kept") for factor in dropout)


def test_terms_by_size_and_the_rest_summed() -> None:
    node = unfold(*bundled_run(), "decoder/1/feed_forward/output", (0, 1, 7))
    terms = tuple(node.ranked())
    assert len(terms) == bundled().config.d_ff + 1  # and the bias
    sizes = [abs(term.contribution) for term in terms]
    assert sizes == sorted(sizes, reverse=True)
    top, others, rest = node.shown(5)
    assert others == len(terms) - 5
    assert sum(term.contribution for term in top) + rest == pytest.approx(node.exact)
    everything, *nothing = node.shown(10_000)
    assert (len(everything), nothing) == (len(terms), [0, 0])


def bundled_run() -> tuple[Trace, Any]:
    return bundled_trace(SENTENCES[0]), bundled().transformer


def test_terms_against_plain_torch() -> None:
    trace, model = bundled_run()
    weights = {name: value.double() for name, value in model.state_dict().items()}
    width, heads = trace.config.d_k, trace.config.n_heads
    x = trace["encoder/0/self_attention_residual/branch_input"][0, 4].double()
    row = 2 * width + 5  # head 2, feature 5
    products = x * weights["encoder.layers.0.self_attention.w_q.weight"][row]
    expected = [*products, weights["encoder.layers.0.self_attention.w_q.bias"][row]]
    node = unfold(trace, model, "encoder/0/self_attention/q", (0, 2, 4, 5))
    np.testing.assert_allclose(node.contributions, torch.stack(expected).numpy(), atol=1e-12)

    masked = trace["encoder/0/self_attention/masked"][0, 2, 4].double()
    node = unfold(trace, model, "encoder/0/self_attention/weights", (0, 2, 4, 1))
    assert node.exact == pytest.approx(float(masked.softmax(0)[1]), abs=1e-12)
    assert [term.text for term in node.ranked()] == [
        trace.source_tokens[key] for key in masked.argsort(descending=True)
    ]
    assert node.own is not None
    assert node.own.text == trace.source_tokens[1]

    concat = trace["encoder/0/self_attention/concat"][0, 4].double()
    w_o = weights["encoder.layers.0.self_attention.w_o.weight"][9]
    node = unfold(trace, model, "encoder/0/self_attention/output", (0, 4, 9))
    by_head = (concat * w_o).view(heads, width).sum(1)
    for head in range(heads):
        own = sum(term.contribution for term in node.ranked() if term.head == head)
        assert own == pytest.approx(float(by_head[head]), abs=1e-12)
    assert {term.head for term in node.ranked()} == {*range(heads), None}  # None: the bias


def test_a_norm_against_plain_torch() -> None:
    trace, model = bundled_run()
    x = trace["encoder/0/feed_forward_residual/summed"][0, 3].double()
    layer = model.encoder.layers[0].feed_forward_residual.norm
    expected = torch.nn.functional.layer_norm(
        x, x.shape, layer.gamma.double(), layer.beta.double(), trace.config.norm_epsilon
    )
    node = unfold(trace, model, "encoder/0/feed_forward_norm/output", (0, 3, 11))
    assert node.exact == pytest.approx(float(expected[11]), abs=1e-6)
    spread = unfold(trace, model, "encoder/0/feed_forward_norm/std", (0, 3, 0))
    assert spread.exact == pytest.approx(float(x.std(correction=0)), abs=1e-6)
    centred = (x - x.mean()).square() / len(x)
    np.testing.assert_allclose(spread.contributions, centred.numpy(), atol=1e-5)


def test_an_angle_of_each_variant() -> None:
    for variant, feature, exponent, wave in (
        ("paper", 5, 4, math.cos), ("notes", 5, 5, math.cos), ("halves", 11, 4, math.cos),
        ("paper", 4, 4, math.sin), ("halves", 2, 4, math.sin),
    ):  # fmt: skip
        node = unfold(*small(positions=variant), "source/positions", (3, feature))
        angle = 3 / 10000 ** (exponent / 18)
        assert node.exact == pytest.approx(wave(angle), abs=1e-12)
        assert {fact.key: fact.value for fact in node.facts}["angle"] == pytest.approx(angle)


def test_path_ends_at_an_embedding_row() -> None:
    trace, model = bundled_run()
    start = Cell("output/probabilities", (0, 0, trace.steps[0].chosen))
    through_weights = largest_path(trace, model, start)
    through_values = largest_path(trace, model, start, "values")
    for nodes in (through_weights, through_values):
        assert nodes[0].cell == start
        assert nodes[-1].operation == "look_up"
        for node, after in itertools.pairwise(nodes):
            leading = next(term for term in node.ranked() if node.own is None or term.own)
            passed = [cell for factor in leading.factors for cell in factor.sources]
            assert after.cell in passed or not leads(leading)
        assert all(node.verdict == "agrees" for node in nodes)
    assert {"mix", "softmax", "dot"} <= {node.operation for node in through_weights}
    assert "dot" not in {node.operation for node in through_values}


def leads(term: Term) -> bool:
    sources = [cell.address for factor in term.factors for cell in factor.sources]
    return any(not address.endswith("/positions") for address in sources)


def test_path_of_every_site_reaches_a_word_or_a_mask() -> None:
    trace, model = small(norm_place="pre", final_norm=True)
    for cell in cells(trace, each=2):
        last = largest_path(trace, model, cell)[-1]
        expected = {"look_up", "token", "mask", "mask_fill", "position"}
        assert last.operation in expected
        assert next_cell(last) is None


def test_numbers_on_the_way() -> None:
    trace, model = bundled_run()
    where = "decoder/0/cross_attention"
    row = trace[f"{where}/masked"][0, 1, 2].double()
    node = unfold(trace, model, f"{where}/weights", (0, 1, 2, 4))
    found = {fact.key: fact.value for fact in node.facts}
    assert found["maximum"] == float(row.max())
    assert found["numerator"] == pytest.approx(float((row[4] - row.max()).exp()))
    assert found["denominator"] == pytest.approx(float((row - row.max()).exp().sum()))
    assert found["allowed_keys"] == len(row)

    x = trace[f"{where}_residual/summed"][0, 2].double()
    node = unfold(trace, model, f"{where}_norm/normalized", (0, 2, 7))
    found = {fact.key: fact.value for fact in node.facts}
    assert found["mean"] == pytest.approx(float(x.mean()), abs=1e-6)
    assert found["std"] == pytest.approx(float(x.std(correction=0)), abs=1e-6)
    assert found["spread"] == pytest.approx(float((x.var(correction=0) + 1e-5).sqrt()), abs=1e-6)
    node = unfold(trace, model, f"{where}_norm/std", (0, 2, 0))
    found = {fact.key: fact.value for fact in node.facts}
    assert found["variance"] == pytest.approx(float(x.var(correction=0)), abs=1e-5)
