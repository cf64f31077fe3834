"""The code of each step is the code that ran: as it stands, with the right lines and shapes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.explain.source.code import CodeLine, Source, code
from glassformer.core.explain.source.watch import SIZES, model_run
from glassformer.core.explain.steps.steps import list_steps, step_by_id
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder, Tape
from tests.explain.steps.step_runs import CONVENTIONS, NAMES, RUNS, Run, bundled_run, small_run

ROOT = Path(__file__).parents[2]
EVERY_RUN = pytest.mark.parametrize("run", RUNS, ids=NAMES)


def of(run: Run, step_id: str) -> tuple[Source, ...]:
    step = step_by_id(list_steps(run[0]), step_id)
    assert step is not None
    return code(run[0], step)


def marked(source: Source) -> list[CodeLine]:
    return [line for line in source.lines if line.marked]


def said(source: Source) -> list[str]:
    return [line.text.strip() for line in marked(source)]


@EVERY_RUN
def test_every_step_shows_the_source_as_it_stands(run: Callable[[], Run]) -> None:
    trace, _ = run()
    for step in list_steps(trace):
        sources = code(trace, step)
        assert bool(sources) == (step.kind != "given")
        assert len({source.name for source in sources}) == len(sources)
        for source in sources:
            assert source.module == "glassformer." + source.file.removesuffix(".py").replace(
                "/", "."
            )
            file = (ROOT / source.file).read_text(encoding="utf-8").splitlines()
            for line in source.lines:
                assert file[line.number - 1].strip() == line.text.strip()
                assert not (line.marked and line.doc)
                assert not line.shapes or line.marked
            assert marked(source), (step.id, source.name)
            assert any(line.ran for line in marked(source))
            assert isinstance(
                ast.parse("\n".join(line.text for line in source.lines)).body[0], ast.FunctionDef
            )


class Located(Recorder):
    """Where each address is recorded from, and what the names there were: asked of the stack."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.places: dict[str, tuple[str, int, dict[str, tuple[int, ...]]]] = {}

    def record(self, address: str, value: Tensor) -> Tensor:
        frame = sys._getframe(1)
        while "core/model" not in frame.f_code.co_filename:
            assert frame.f_back is not None
            frame = frame.f_back
        local = {k: tuple(v.shape) for k, v in frame.f_locals.items() if isinstance(v, Tensor)}
        self.places[address] = (frame.f_code.co_qualname, frame.f_lineno, local)
        return super().record(address, value)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("convention", range(len(CONVENTIONS)))
def test_the_line_that_records_is_marked_with_its_shapes(convention: int, seed: int | None) -> None:
    run = small_run(convention, dropout_seed=seed)
    trace, tape = run[0], Located(dropout_seed=seed)
    with torch.no_grad():
        Transformer(trace.config)(trace["source/ids"], trace["target/ids"], tape)
    for step in list_steps(trace):
        for wire in step.outputs:
            if wire.form in ("added", "joined", "dropped", "chosen"):
                continue
            name, number, local = tape.places[wire.address]
            shown = {each.name: each for each in code(trace, step)}
            assert name in shown, f"{wire.address} is not recorded where the step {step.id} is"
            source = shown[name]
            assert number in {line.number for line in marked(source)}, (step.id, wire)
            # Up to the line that records: what a name is later is another matter.
            shapes = [
                each for line in marked(source) if line.number == number for each in line.shapes
            ]
            for shape in shapes:
                if shape.address:
                    assert shape.sizes == tuple(trace[shape.address].shape)
                elif shape.name in local:
                    assert shape.sizes == local[shape.name], (step.id, shape)


@EVERY_RUN
def test_letters_and_sizes_agree(run: Callable[[], Run]) -> None:
    trace, _ = run()
    batch, source = trace["source/ids"].shape
    for step in list_steps(trace):
        config = trace.config.of(step.stage)
        meaning = {
            "B": batch, "S": source, "T": trace["target/ids"].shape[1], "H": config.n_heads,
            "K": config.d_k, "D": config.d_model, "F": config.d_ff, "V": config.vocabulary_size,
            "D/2": config.d_model // 2, "M": config.max_length, "1": 1, "G": config.key_heads,
            "K/2": config.d_k // 2, "HK": config.inner_width,
        }  # fmt: skip
        for source_ in code(trace, step):
            for line in marked(source_):
                for shape in line.shapes:
                    assert shape.sizes == tuple(meaning[each] for each in shape.letters)


def test_what_the_small_run_measures_cannot_be_mistaken() -> None:
    assert len(set(SIZES.values())) == len(SIZES)
    assert SIZES["D"] == SIZES["H"] * SIZES["K"] == 2 * SIZES["D/2"]


def test_one_line_of_the_paper_each() -> None:
    run = small_run()
    lines = {
        "scores": 'scores = tape("scores", q @ k.transpose(-2, -1))',
        "scale": 'scaled = tape("scaled", scores / math.sqrt(q.size(-1)',
        "softmax": 'weights = tape("weights", masked.softmax(dim=-1))',
        "context": 'context = tape("context", weights @ v)',
    }
    for name, starts in lines.items():
        (source,) = of(run, f"decoder.0.cross_attention.{name}")
        (line,) = said(source)
        assert line.startswith(starts)
    (line,) = marked(of(run, "decoder.0.cross_attention.scores")[0])
    assert [(each.name, "".join(each.letters)) for each in line.shapes] == [
        ("scores", "BHTS"), ("q", "BHTK"), ("k", "BHSK"),
    ]  # fmt: skip
    assert line.shapes[0].address == "decoder/0/cross_attention/scores"
    assert line.shapes[0].sizes == (1, 4, 4, 5)


def test_the_branch_that_ran_is_marked_and_the_other_is_not() -> None:
    step = "encoder.0.self_attention.norm"
    population, sample = of(small_run(0), step)[0], of(small_run(1), step)[0]
    assert any("centred.square()" in line for line in said(population))
    assert not any("centred.square()" in line for line in said(sample))
    assert any("x.std(" in line for line in said(sample))
    relu, gelu = (of(small_run(at), "encoder.0.feed_forward.activation") for at in (0, 1))
    assert [each.name for each in relu] == ["FeedForward.forward", "relu"]
    assert "return functional.relu(x)" in said(relu[1])
    assert [each.name for each in gelu] == ["FeedForward.forward", "gelu"]
    assert "return functional.relu(x)" not in said(gelu[1])


def test_masks_show_how_they_are_made_and_applied() -> None:
    names = [each.name for each in of(small_run(3), "decoder.0.self_attention.mask")]
    assert names == ["attention_maps", "apply_mask", "target_mask", "padding_mask", "causal_mask"]
    cross = of(small_run(3), "decoder.0.cross_attention.mask")
    assert [each.name for each in cross] == ["attention_maps", "apply_mask", "padding_mask"]
    assert "return scaled + bias" in said(cross[1])  # additive
    assert "return scaled + bias" not in said(of(small_run(0), "decoder.0.self_attention.mask")[1])


def test_splitting_and_projecting_show_their_own_functions() -> None:
    split = of(small_run(), "decoder.0.self_attention.split")
    assert split[0].name == "MultiHeadAttention.split"
    view, back = marked(split[0])
    assert [(each.name, "".join(each.letters)) for each in view.shapes] == [
        ("heads", "BTHK"), ("x", "BTD"),
    ]  # fmt: skip
    assert ("return", "BHTK") in [(each.name, "".join(each.letters)) for each in back.shapes]
    project = of(small_run(), "encoder.0.self_attention.project")
    assert [each.name for each in project][1:] == ["MultiHeadAttention.keys_and_values"]


def test_a_choice_shows_the_decoder_and_dropout_its_function() -> None:
    choice = of(bundled_run("cat"), "output.choice")
    assert [each.name for each in choice] == ["step_from", "_best"]
    assert choice[0].module == "glassformer.core.decoding.step"
    dropped = of(small_run(0, dropout_seed=3), "encoder.0.self_attention.weights_dropout")
    assert [each.name for each in dropped] == ["dropout", "MultiHeadAttention.forward"]
    assert said(dropped[1]) == ["weights = dropout(weights, self.config.dropout, tape)"]
    assert any(line.startswith("return x * kept") for line in said(dropped[0]))


def test_watching_leaves_no_trace() -> None:
    before, seed = sys.gettrace(), torch.random.get_rng_state()
    model_run.cache_clear()
    of(small_run(), "source.lookup")
    assert sys.gettrace() is before
    assert torch.random.get_rng_state().equal(seed)
    assert isinstance(Tape(), Tape)
