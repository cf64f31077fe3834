"""The walk follows the config and the run, leaves nothing out and has nothing twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from glassformer.core.config import ModelConfig
from glassformer.core.explain.equations import equation, mark_symbols
from glassformer.core.explain.steps.steps import (
    Step,
    for_layer,
    group_steps,
    list_steps,
    step_by_id,
    step_of,
    steps_of,
)
from glassformer.core.explain.steps.wires import Wire, tensor
from glassformer.core.trace.sites import site_at
from tests.explain.steps.step_runs import NAMES, RUNS, Run, bundled_run, small_run

EVERY_RUN = pytest.mark.parametrize("run", RUNS, ids=NAMES)
ATTENTION = ["project", "split", "scores", "scale", "mask", "softmax", "context", "concat",
             "output"]  # fmt: skip


def config(**changes: object) -> ModelConfig:
    sizes = {"vocabulary_size": 9, "encoder_layers": 2, "decoder_layers": 2}
    return ModelConfig(**{**sizes, **changes})  # type: ignore[arg-type]


def below(steps: tuple[Step, ...], prefix: str) -> list[str]:
    return [step.id.removeprefix(f"{prefix}.") for step in steps if step.id.startswith(prefix)]


def test_the_papers_order() -> None:
    steps = steps_of(config())
    assert below(steps, "source") == ["lookup", "scale", "positions", "sum"]
    attention = [*ATTENTION, "residual", "norm"]
    assert below(steps, "encoder.1.self_attention") == attention
    assert below(steps, "decoder.0.cross_attention") == attention
    assert below(steps, "decoder.1.feed_forward") == [
        "expand", "activation", "contract", "residual", "norm",
    ]  # fmt: skip
    assert [step.id for step in steps[-4:]][1:] == ["output.logits", "output.softmax",
                                                   "output.choice"]  # fmt: skip
    stages = list(dict.fromkeys(step.stage for step in steps))
    assert stages == ["source", "encoder", "memory", "target", "decoder", "output"]


def test_pre_norm_normalises_first_and_has_a_last_norm() -> None:
    steps = steps_of(config(norm_place="pre", final_norm=True))
    assert below(steps, "encoder.0.self_attention") == ["norm", *ATTENTION, "residual"]
    ids = [step.id for step in steps]
    assert ids[ids.index("memory") - 1] == "encoder.norm"
    assert ids[ids.index("output.logits") - 1] == "decoder.norm"


def test_dropout_has_steps_only_where_the_run_drops() -> None:
    assert not [step for step in steps_of(config()) if "dropout" in step.id]
    assert steps_of(config(dropout=0.0), drops=True) == steps_of(config(dropout=0.0))
    steps = steps_of(config(), drops=True)
    assert below(steps, "target")[-1] == "dropout"
    inside = below(steps, "decoder.0.cross_attention")
    assert inside[inside.index("softmax") + 1] == "weights_dropout"
    assert inside[-3:] == ["dropout", "residual", "norm"]
    assert "hidden_dropout" in below(steps, "encoder.0.feed_forward")


def test_a_forced_word_is_given_not_chosen() -> None:
    assert list_steps(bundled_run("cat")[0])[-1].kind == "choice"
    assert list_steps(small_run()[0])[-1].kind == "given"


@EVERY_RUN
def test_every_recorded_address_belongs_to_a_step(run: Callable[[], Run]) -> None:
    trace, _ = run()
    steps = list_steps(trace)
    assert len({step.id for step in steps}) == len(steps)
    for address in trace:
        step = step_of(steps, address)
        assert step is not None, f"{address}: its row in core/trace/sites.py names no step"
        if not trace.site(address).is_view and not address.endswith("/ids"):
            makes = address.endswith("/positions") and not trace.config.adds_positions
            assert makes or Wire(address) in step.outputs
    assert step_of(steps, "encoder/99/nothing") is None


@EVERY_RUN
def test_every_input_was_put_out_before(run: Callable[[], Run]) -> None:
    trace, _ = run()
    known = {"source/ids", "target/ids"}
    if not trace.config.adds_positions:
        known |= {"source/positions", "target/positions"}
    stream = trace["source/input"]
    for step in list_steps(trace):
        for wire in step.inputs:
            if wire.key not in known:  # a view: the same numbers, taken up under a new name
                assert site_at(wire.address).is_view, (step.id, wire)
                assert any(
                    tensor(trace, Wire.of(key)).shape == tensor(trace, wire).shape
                    and tensor(trace, Wire.of(key)).equal(tensor(trace, wire))
                    for key in known
                )
        known |= {wire.key for wire in step.outputs}
        if step.kind == "residual":
            assert tensor(trace, step.inputs[0]).equal(stream)
            stream = tensor(trace, step.outputs[0])
        elif step.kind in ("norm", "final_norm") and trace.config.norm_place == "post":
            stream = tensor(trace, step.outputs[-1])
        elif step.id in ("target.sum", "target.dropout"):
            stream = trace["target/input"]
        elif step.kind == "embedding_norm":
            stream = tensor(trace, step.outputs[-1])


@EVERY_RUN
def test_symbols_stand_in_their_equation_and_for_what_is_there(run: Callable[[], Run]) -> None:
    trace, model = run()
    weights = model.state_dict()
    for step in list_steps(trace):
        assert tuple(line.output for line in step.lines) == step.outputs
        for line in step.lines:
            assert line.symbols, step.id
            for symbol in line.symbols:
                assert symbol.latex in line.latex
                said = (symbol.wire is not None, bool(symbol.parameter), symbol.size is not None)
                assert sum(said) == 1
                assert symbol.wire is None or symbol.wire.address in trace
                assert not symbol.parameter or symbol.parameter in weights
            seen = mark_symbols(line, lambda symbol: f"⟨{symbol.latex}⟩")
            assert seen.replace("⟨", "").replace("⟩", "") == line.latex
            assert all(f"⟨{symbol.latex}⟩" in seen for symbol in line.symbols)


def test_every_input_is_a_symbol_of_the_equations() -> None:
    for kind, changes in (("post", {}), ("pre", {"final_norm": True})):
        for drops in (False, True):
            for step in steps_of(config(norm_place=kind, **changes), drops):
                named = {each.wire for line in step.lines for each in line.symbols}
                left = [wire for wire in step.inputs if wire not in named]
                formula = step.kind in ("positions", "embedding_dropout", "given")
                assert not left or formula, (step.id, left)


def test_equations_are_those_of_the_config() -> None:
    for step in steps_of(config(norm_formula="sample", activation="gelu", attention_bias=False)):
        for line in step.lines:
            if step.kind not in ("split", "mask", "choice"):
                assert line.latex == equation(
                    config(norm_formula="sample", activation="gelu", attention_bias=False),
                    line.output.address,
                )


def test_colours_and_letters_of_longer_words_are_not_symbols() -> None:
    line, *_ = step_by_id(steps_of(config()), "encoder.0.feed_forward.activation").lines  # type: ignore[union-attr]
    assert mark_symbols(line, lambda symbol: f"<{symbol.role}>") == (
        r"<feed_forward> = \max(0, <feed_forward>)"
    )
    line, *_ = step_by_id(steps_of(config()), "encoder.0.self_attention.scale").lines  # type: ignore[union-attr]
    assert mark_symbols(line, lambda _: "*") == r"* = \frac{*}{\sqrt{*}}"


def test_neighbours_and_the_walk_through_one_layer() -> None:
    steps = steps_of(config())
    short = for_layer(steps, encoder=1, decoder=9)
    assert {step.layer for step in short if step.stage == "encoder"} == {1}
    assert {step.layer for step in short if step.stage == "decoder"} == {1}
    assert [step for step in steps if step in short] == list(short)
    at = [step.id for step in short].index("encoder.1.self_attention.project")
    assert short[at - 1].id == "source.sum"
    assert short[at + 1].id == "encoder.1.self_attention.split"
    assert step_by_id(steps, "nonsense") is None


def test_the_strip_has_every_step_once_in_groups() -> None:
    steps = steps_of(config(norm_place="pre", final_norm=True))
    groups = group_steps(for_layer(steps))
    assert [step for group in groups for step in group.steps] == list(for_layer(steps))
    assert [(group.stage, group.layer, group.sublayer) for group in groups] == [
        ("source", None, ""),
        ("encoder", 0, "self_attention"), ("encoder", 0, "feed_forward"), ("encoder", None, ""),
        ("memory", None, ""), ("target", None, ""),
        ("decoder", 0, "self_attention"), ("decoder", 0, "cross_attention"),
        ("decoder", 0, "feed_forward"), ("decoder", None, ""),
        ("output", None, ""),
    ]  # fmt: skip


def test_a_step_says_its_place() -> None:
    found = step_by_id(steps_of(config()), "decoder.1.cross_attention.mask")
    assert found is not None
    assert (found.kind, found.place) == ("mask", "decoder_cross_attention")
    assert step_by_id(steps_of(config()), "memory").place == "memory"  # type: ignore[union-attr]
