"""Each number of each step, worked out, agrees with the recording and with plain numpy."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.analysis.attention_views import terms
from core.errors import GlassformerError
from core.explain.steps.latex import in_numbers
from core.explain.steps.numbers import worked
from core.explain.steps.steps import Step, step_by_id, walk
from core.explain.steps.wires import Wire, axes, nearest_cell, tensor
from core.explain.steps.worked import Operand, Worked
from core.trace.trace import Trace
from tests.explain.steps.step_runs import NAMES, RUNS, Run, bundled_run, plain, small_run

CELLS = 4  # of each output of each step


def some_cells(trace: Trace, wire: Wire, seed: str) -> list[dict[str, int]]:
    chance, known = random.Random(seed), axes(trace, wire)
    last = {axis.name: axis.size - 1 for axis in known}
    drawn = [{axis.name: chance.randrange(axis.size) for axis in known} for _ in range(CELLS)]
    return [last, *drawn]


def all_worked(run: Run) -> list[tuple[Step, Worked]]:
    trace, weights = run
    return [
        (step, worked(trace, step, at, weights, number))
        for step in walk(trace)
        for number, line in enumerate(step.lines)
        for at in some_cells(trace, line.output, f"{step.id}{number}")
    ]


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_every_step_agrees_with_the_recording_and_with_plain_numpy(run: Callable[[], Run]) -> None:
    trace, _ = run()
    independent = plain(run()).found
    for step, found in all_worked(run()):
        assert found.agrees, (step.id, found.output, found.value, found.recorded)
        assert found.recorded == float(tensor(trace, found.output.wire)[found.output.index])
        key, index = found.output.wire.key, found.output.index
        if key == "output/probabilities:chosen":
            assert trace.vocabulary[int(found.value)] == trace.output_pieces[index[1]]
            continue
        values = independent[key]
        expected = values[index[len(index) - values.ndim :]]
        if math.isinf(expected):
            assert found.value == expected
        else:
            assert found.value == pytest.approx(expected, rel=1e-4, abs=1e-4), (step.id, index)


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_operands_are_the_numbers_at_the_places_they_name(run: Callable[[], Run]) -> None:
    trace, weights = run()
    for step, found in all_worked(run()):
        for operand in (*found.factors, *found.scalars.values()):
            where = tuple(slice(None) if at is None else at for at in operand.index)
            if operand.wire is not None:
                stands = tensor(trace, operand.wire)[where]
                assert operand.wire in step.inputs or operand.wire.address in trace
            elif operand.parameter:
                stands = weights[operand.parameter][where]
            else:
                assert operand.role in ("constant", "weights")
                continue
            assert np.array_equal(operand.values, stands.double().numpy())
            if operand in found.factors:
                assert operand.values.shape == found.terms.shape
                assert len(operand.at(0)) == len(operand.index)
            else:
                assert operand.values.shape == ()


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_the_short_form_leaves_nothing_out(run: Callable[[], Run]) -> None:
    for _, found in all_worked(run()):
        short = found.short(3)
        sizes = np.abs(found.terms)
        assert len(short.largest) == min(3, sizes.size)
        assert len(short.largest) + short.rest_count == sizes.size
        shown = found.terms[list(short.largest)].sum() + short.rest
        assert shown == pytest.approx(found.terms.sum(), rel=1e-9, abs=1e-9)
        if found.chosen is None and sizes.size > 3:
            assert sizes[list(short.largest)].min() >= np.sort(sizes)[-3]
        if found.chosen is not None:
            assert found.chosen in short.largest


def printed(found: Worked) -> str:
    return in_numbers(found, 4, repr, lambda _, text: text)


def evaluated(latex: str) -> float:
    """What a printed formula comes to when it is computed as it stands."""
    text = latex.replace(r"\cdot 10^", "*10**")
    number = r"\{([^{}]*)\}"
    rules = (
        (rf"\\underbrace{number}_\{{\d+\}}", r"(\1)"),
        (r"\\mathrm\{NaN\}", "nan"),
        (rf"\\sqrt{number}", r"sqrt(\1)"),
        (rf"(?<![\d.])e\^{number}", r"exp(\1)"),
        (rf"\\frac{number}{number}", r"((\1)/(\2))"),
        (rf"\^{number}", r"**(\1)"),
        (r"\^2", "**2"),
    )
    while "{" in text or "^" in text:
        before = text
        for pattern, becomes in rules:
            text = re.sub(pattern, becomes, text)
        assert text != before, text
    for sign, becomes in ((r"\cdot", "*"), (r"\neq", "!="), (r"\le", "<="), (r"\infty", "inf")):
        text = text.replace(sign, becomes)
    text = text.replace("[", "(").replace("]", ")").replace("\\", "")
    names = {name: getattr(math, name) for name in ("sqrt", "exp", "sin", "cos", "nan", "inf")}
    return float(eval(text, {"__builtins__": {}}, {**names, "max": max}))


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_the_printed_formula_comes_to_the_number(run: Callable[[], Run]) -> None:
    for step, found in all_worked(run()):
        shown = printed(found).removeprefix(f"{found.symbol} = ")
        formula = shown.rsplit(" = ", 1)[0]
        if "GELU" in formula or "arg" in formula:
            continue
        if math.isinf(found.value):
            assert formula in ("-inf", repr(-math.inf))
        else:
            assert evaluated(formula) == pytest.approx(found.value, rel=1e-6, abs=1e-9), step.id


def test_every_operand_in_the_formula_can_be_marked() -> None:
    trace, weights = bundled_run("cat")
    step = step_by_id(walk(trace), "encoder.0.self_attention.scores")
    assert step is not None
    found, seen = worked(trace, step, {"head": 1, "query": 1}, weights), list[Operand]()

    def mark(operand: Operand, text: str) -> str:
        seen.append(operand)
        return f"<{text}>"

    assert in_numbers(found, 2, repr, mark).count("<") == len(seen) == 4
    assert {each.role for each in seen} == {"query", "key"}
    assert found.factors[0].at(5) == (0, 1, 1, 5)


def test_scores_and_weights_are_those_of_the_attention_page() -> None:
    trace, weights = bundled_run("The animal didn't cross the street because it was too tired")
    at = {"head": 2, "query": 3, "key": 5}
    cell = terms(trace, "cross", 1, 2, 3, 5)
    found = {
        name: worked(trace, step, at, weights, len(step.lines) - 1)
        for name in ("scores", "scale", "mask", "softmax")
        if (step := step_by_id(walk(trace), f"decoder.1.cross_attention.{name}"))
    }
    assert found["scores"].terms == pytest.approx(cell.products, abs=1e-5)
    assert found["scores"].order() == cell.order("largest")
    assert found["scale"].scalars["divisor"].value == cell.root
    assert found["scale"].recorded == cell.scaled
    assert found["mask"].recorded == cell.masked
    assert found["softmax"].terms[5] == pytest.approx(cell.numerator)
    assert found["softmax"].scalars["total"].value == pytest.approx(cell.denominator)


def test_an_edited_run_says_where_it_no_longer_agrees() -> None:
    trace, weights = small_run()
    address = "encoder/0/self_attention/scores"
    step = step_by_id(walk(trace), "encoder.0.self_attention.scores")
    edited = replace(trace, tensors=dict(trace.tensors) | {address: trace[address] + 1})
    assert step is not None
    found = worked(edited, step, {}, weights)
    assert not found.agrees
    assert found.difference == pytest.approx(1, abs=1e-4)


def test_a_row_that_may_look_nowhere_has_no_weights_and_says_so() -> None:
    trace, weights = small_run(2)
    address = "encoder/0/self_attention/masked"
    nowhere = {
        address: torch.full_like(trace[address], -torch.inf),
        "encoder/0/self_attention/weights": torch.full_like(trace[address], torch.nan),
    }
    edited = replace(trace, tensors=dict(trace.tensors) | nowhere)
    step = step_by_id(walk(trace), "encoder.0.self_attention.softmax")
    assert step is not None
    found = worked(edited, step, {}, weights)
    assert math.isnan(found.value)
    assert found.difference == 0
    assert "nan" in printed(found)


@pytest.mark.parametrize(
    ("at", "key"), [({"query": 99}, "out_of_range"), ({"hidden": 0}, "unknown_axis")]
)
def test_a_cell_that_does_not_exist_is_refused(at: dict[str, int], key: str) -> None:
    trace, weights = small_run()
    step = step_by_id(walk(trace), "encoder.0.self_attention.scores")
    assert step is not None
    with pytest.raises(GlassformerError) as caught:
        worked(trace, step, at, weights)
    assert caught.value.key == key
    assert nearest_cell(trace, step.outputs[0], at).index in ((0, 0, 4, 0), (0, 0, 0, 0))
