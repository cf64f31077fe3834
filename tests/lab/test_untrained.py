"""Untrained models of any conventions: counts by hand, starts by their bounds, their own runs."""

import math

import pytest
import torch
from torch import nn

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.untrained import (
    FLAGS,
    NOTES,
    Blueprint,
    blueprint,
    build_model,
    closed_forms,
    torch_bound,
    xavier_bound,
)
from glassformer.core.lab.untrained_views import (
    NOTES_IDS,
    ModuleNode,
    anatomy,
    count_parameters,
    drawn_weights,
)
from glassformer.core.model.transformer import Transformer

SMALL = {"encoder_layers": 2, "decoder_layers": 1, "d_model": 8, "n_heads": 2, "d_ff": 16}
SHARED = {"share_embeddings": "on", "tie_generator": "on", "tie_attention": "on"}


def small(vocabulary: int = 1000, **given: object) -> Blueprint:
    return blueprint(vocabulary, **{**SMALL, **given})


def test_every_field_of_the_config_can_be_asked_for() -> None:
    fields = list(ModelConfig.__dataclass_fields__)
    papers = set(fields[1 : fields.index("source_vocabulary_size")])  # then come other families
    assert papers == set(NOTES) - {"start", "gamma", "seed"}


def test_settings_are_read_back() -> None:
    plan = small(positions="learned", final_norm="on", gamma="0.5", norm_epsilon="0,001"[:1])
    assert blueprint(1000, **plan.settings) == plan
    assert blueprint(1000, **plan.changed) == plan
    assert "seed" not in plan.changed
    assert (plan.gamma, plan.config.final_norm, plan.config.norm_epsilon) == (0.5, True, 0.0)


def test_what_cannot_be_built_is_refused_before_it_is_built() -> None:
    with pytest.raises(GlassformerError) as heads:
        small(d_model="30", n_heads="8")
    assert (heads.value.key, heads.value.values["name"]) == ("lab_shape", "d_model")
    with pytest.raises(GlassformerError, match="2 × n"):
        small(d_model=9, n_heads=1)
    assert small(d_model=9, n_heads=1, positions="none").config.d_model == 9
    with pytest.raises(GlassformerError) as large:
        blueprint(1000, d_model=1024, encoder_layers=12, decoder_layers=12, d_ff=4096)
    assert large.value.key == "lab_parameters"
    for wrong in ({"seed": -1}, {"start": "zeros"}, {"gamma": "nan"}, {"d_model": None}):
        with pytest.raises(GlassformerError):
            small(**wrong)
    with pytest.raises(GlassformerError, match="unknown setting"):
        small(layers=3)


def test_parameters_by_hand() -> None:
    """V 1000, D 8, F 16, two encoder layers and one decoder layer, nothing shared."""
    attention, forward, norm = 4 * 64 + 4 * 8, 2 * 8 * 16 + 16 + 8, 16
    by_hand = {
        "source_embedding": 8000, "target_embedding": 8000,
        "encoder_self_attention": 2 * attention, "encoder_feed_forward": 2 * forward,
        "encoder_norms": 2 * 2 * norm, "decoder_self_attention": attention,
        "decoder_cross_attention": attention, "decoder_feed_forward": forward,
        "decoder_norms": 3 * norm, "generator": 9000,
    }  # fmt: skip
    plan = small()
    assert {each.key: each.count(plan.config) for each in closed_forms(plan.config)} == by_hand
    assert count_parameters(build_model(plan)) == by_hand


@pytest.mark.parametrize("positions", ["paper", "learned"])
@pytest.mark.parametrize("flag", FLAGS)
def test_closed_forms_count_what_is_built(flag: str, positions: str) -> None:
    names = ("final_norm", "attention_bias", "generator_bias", *SHARED)
    for name in names:
        plan = small(positions=positions, **{name: flag})
        found, model = count_parameters(build_model(plan)), build_model(plan)
        assert sum(found.values()) == sum(p.numel() for p in model.parameters())
        for part in closed_forms(plan.config):
            assert part.count(plan.config) == found[part.key], (name, part.key)


def test_one_seed_one_model_and_no_draw_from_the_global_generator() -> None:
    before = torch.get_rng_state()
    first, again, other = build_model(small()), build_model(small()), build_model(small(seed=2))
    assert torch.equal(before, torch.get_rng_state())
    pairs = zip(first.parameters(), again.parameters(), strict=True)
    assert all(torch.equal(one, two) for one, two in pairs)
    query = "encoder.layers.0.self_attention.w_q.weight"
    assert not torch.equal(first.get_parameter(query), other.get_parameter(query))


def test_torch_starts_as_its_own_modules_do() -> None:
    model = build_model(small(start="torch", d_model=64, n_heads=4, gamma=2, norm_initial_shift=3))
    layer = model.encoder.layers[0]
    assert isinstance(layer, nn.Module)
    matrix = layer.get_parameter("feed_forward.w_2.weight")  # (64, 16)
    assert matrix.abs().max() <= torch_bound(matrix) == 1 / 4
    bias = layer.get_parameter("feed_forward.w_2.bias")
    assert 0 < bias.abs().max() <= 1 / 4
    assert model.source_embedding.table.weight.std() == pytest.approx(1, abs=0.02)
    assert model.generator.weight.abs().max() <= 1 / 8
    norm = layer.get_parameter("self_attention_residual.norm.gamma")
    shift = layer.get_parameter("self_attention_residual.norm.beta")
    assert norm.unique().tolist() == [2] and shift.unique().tolist() == [3]


def test_xavier_fills_its_bound_evenly() -> None:
    model = build_model(small(start="xavier", d_model=64, n_heads=4))
    matrix = model.encoder.layers[0].get_parameter("self_attention.w_q.weight")
    found, bound = drawn_weights(matrix), math.sqrt(6 / 128)
    assert found.xavier == xavier_bound(matrix) == pytest.approx(bound)
    assert found.outside == 0
    assert max(map(abs, found.ends)) == pytest.approx(bound, rel=0.01)
    assert found.std == pytest.approx(bound / math.sqrt(3), rel=0.03)
    assert sum(found.counts) == 64 * 64
    embedding = build_model(
        small(start="torch", d_model=64, n_heads=4)
    ).source_embedding.table.weight
    beyond = (embedding.abs() > math.sqrt(6 / 1064)).sum()
    assert drawn_weights(embedding).outside == beyond > 0.9 * embedding.numel()


def test_the_notes_model_reaches_94_and_its_embeddings_do_so_alone() -> None:
    model = build_model(blueprint(1000))
    found = anatomy(model, NOTES_IDS, NOTES_IDS)
    encoder = [each for each in found.reaches if each.stack == "encoder"]
    names = ["embedding", "scaled", "positions", "input"]
    assert [each.name for each in encoder[:4]] == names
    assert round(max(encoder[-1].ends)) == 94
    assert encoder[-1].shape == (2, 4, 512)
    table = model.source_embedding.table.weight[torch.tensor(NOTES_IDS)]
    assert encoder[1].ends[1] == pytest.approx(float(table.max()) * math.sqrt(512))
    assert max(encoder[3].ends) > 94
    normed = anatomy(build_model(blueprint(1000, final_norm="on")), NOTES_IDS, NOTES_IDS)
    ends = [each.ends for each in normed.reaches if each.name == "final_norm"]
    assert len(ends) == 2 and all(low > -6 and high < 7 for low, high in ends)


def test_the_stream_is_that_of_the_models_own_forward() -> None:
    model = build_model(small(norm_place="post", embedding_scale="off", positions="none"))
    found, ids = anatomy(model, NOTES_IDS, NOTES_IDS), torch.tensor(NOTES_IDS)
    with torch.no_grad():
        memory, logits = model.encode(ids), model(ids, ids)
    encoder = [each for each in found.reaches if each.stack == "encoder"]
    assert [each.name for each in encoder[:3]] == ["embedding", "input", "self_attention"]
    assert encoder[-1].ends == (float(memory.min()), float(memory.max()))
    assert found.reaches[-1].ends == (float(logits.min()), float(logits.max()))
    assert encoder[-1].std == pytest.approx(float(memory.std(correction=0)))


def walked(node: ModuleNode) -> list[ModuleNode]:
    return [node, *(each for part in node.inside for each in walked(part))]


def test_the_tree_holds_every_parameter_and_names_what_is_shared() -> None:
    model: Transformer = build_model(small(**SHARED))
    tree = anatomy(model, NOTES_IDS, NOTES_IDS).tree
    nodes = walked(tree)
    own = {shape for node in nodes for _, shape in node.weights}
    assert own == {tuple(each.shape) for each in model.parameters()}
    assert tree.count == sum(each.numel() for each in model.parameters())
    shares = {node.name: node.shares for node in nodes if node.shares}
    assert shares == {
        "table": "source_embedding.table",
        "generator": "source_embedding.table",
        "cross_attention": "decoder.layers.0.self_attention",
    }
    (w_q, *_) = [node for node in nodes if node.name == "w_q"]
    assert (w_q.kind, w_q.output, w_q.count) == ("Linear", (2, 2, 4, 4), 72)
