"""Each number of each step, worked out, agrees with the recording and with plain numpy."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
import torch

from glassformer.core.analysis.attention_cell import cell_terms
from glassformer.core.errors import GlassformerError
from glassformer.core.explain.equations import Line
from glassformer.core.explain.provenance.node import Node
from glassformer.core.explain.provenance.run import Run
from glassformer.core.explain.steps.latex import in_numbers
from glassformer.core.explain.steps.numbers import node_at
from glassformer.core.explain.steps.steps import Step, list_steps, step_by_id
from glassformer.core.explain.steps.wires import Wire, tensor, wire_axes
from glassformer.core.trace.trace import Trace
from tests.explain.provenance.test_unfold import PLAIN
from tests.explain.steps.step_runs import NAMES, RUNS, bundled_run, plain, small_run
from tests.explain.steps.step_runs import Run as Made

CELLS = 4  # of each output of each step


def some_cells(trace: Trace, wire: Wire, seed: str) -> list[dict[str, int]]:
    chance, known = random.Random(seed), wire_axes(trace, wire)
    last = {axis.name: axis.size - 1 for axis in known}
    drawn = [{axis.name: chance.randrange(axis.size) for axis in known} for _ in range(CELLS)]
    return [last, *drawn]


@cache
def all_nodes(made: Callable[[], Made]) -> list[tuple[Step, Line, Node]]:
    trace, model = made()
    run = Run(trace, model)
    return [
        (step, line, node_at(run, step, at, number))
        for step in list_steps(trace)
        for number, line in enumerate(step.lines)
        for at in some_cells(trace, line.output, f"{step.id}{number}")
    ]


@pytest.mark.parametrize("made", RUNS, ids=NAMES)
def test_every_step_agrees_with_the_recording_and_with_plain_numpy(
    made: Callable[[], Made],
) -> None:
    trace, _ = made()
    independent = plain(made()).found
    for step, line, node in all_nodes(made):
        assert node.verdict == ("given" if node.operation == "draw" else "agrees"), (step.id, node)
        key, index = line.output.key, node.cell.index
        if line.output.form != "joined":
            assert node.recorded == float(tensor(trace, line.output)[index])
        if key == "output/probabilities:chosen":
            assert trace.vocabulary[int(node.exact)] == trace.output_pieces[index[1]]
            continue
        values = independent[key.removesuffix(":joined")]
        expected = values[index[len(index) - values.ndim :]]
        if math.isinf(expected):
            assert node.exact == expected
        else:
            assert node.exact == pytest.approx(expected, rel=1e-4, abs=1e-4), (step.id, index)


@pytest.mark.parametrize("made", RUNS, ids=NAMES)
def test_factors_are_the_numbers_at_the_places_they_name(made: Callable[[], Made]) -> None:
    trace, model = made()
    for step, _, node in all_nodes(made):
        for factor in (factor for term in node.shown(3)[0] for factor in term.factors):
            if factor.role in PLAIN:
                (source,) = factor.sources
                wire = Wire.of(source.address)
                assert factor.value == float(tensor(trace, wire)[source.index])
                assert wire in step.inputs or wire.address in trace
            elif factor.parameter is not None:
                learned = model.get_parameter(factor.parameter.address)
                assert factor.value == float(learned[factor.parameter.index])


@pytest.mark.parametrize("made", RUNS, ids=NAMES)
def test_the_short_form_leaves_nothing_out(made: Callable[[], Made]) -> None:
    run = Run(*made())
    for _, _, node in all_nodes(made):
        if node.operation in ("mean", "project", "dot", "mix", "softmax", "std"):
            formula = in_numbers(run, node, 3, lambda _: "n", lambda _, text: f"<{text}>")
            summed = formula.split("}{")[1] if node.operation == "softmax" else formula
            (rest,) = re.findall(r"\\underbrace\{\(?n\)?\}_\{(\d+)\}", summed) or ["0"]
            size = node.groups[0].size
            assert int(rest) == max(size - 3, 0)
            assert summed.split("underbrace")[0].count(" + ") == min(size, 3) - (size <= 3)


def printed(made: Made, node: Node) -> str:
    return in_numbers(Run(*made), node, 4, repr, lambda _, text: text)


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


@pytest.mark.parametrize("made", RUNS, ids=NAMES)
def test_the_printed_formula_comes_to_the_number(made: Callable[[], Made]) -> None:
    for step, _, node in all_nodes(made):
        formula = printed(made(), node)
        if r"\mathrm" in formula or "arg" in formula:
            continue
        if math.isinf(node.exact):
            assert formula == repr(-math.inf)
        else:
            assert evaluated(formula) == pytest.approx(node.exact, rel=1e-6, abs=1e-9), step.id


def node_of_step(made: Made, step_id: str, at: dict[str, int], line: int = 0) -> Node:
    step = step_by_id(list_steps(made[0]), step_id)
    assert step is not None
    return node_at(Run(*made), step, at, line)


def test_every_number_in_the_formula_can_be_marked() -> None:
    made, seen = bundled_run("cat"), list[str]()
    node = node_of_step(made, "encoder.0.self_attention.scores", {"head": 1, "query": 1})

    def mark(role: str, text: str) -> str:
        seen.append(role)
        return f"<{text}>"

    assert in_numbers(Run(*made), node, 2, repr, mark).count("<") == len(seen) == 4
    assert set(seen) == {"query", "key"}
    assert node.groups[0].term(5).factors[0].sources[0].index == (0, 1, 1, 5)


def test_scores_and_weights_are_those_of_the_attention_page() -> None:
    made = bundled_run("The animal didn't cross the street because it was too tired")
    at, stage = {"head": 2, "query": 3, "key": 5}, "decoder.1.cross_attention"
    cell = cell_terms(made[0], "cross", 1, 2, 3, 5)
    scores, scale, softmax = (
        node_of_step(made, f"{stage}.{name}", at) for name in ("scores", "scale", "softmax")
    )
    masked = node_of_step(made, f"{stage}.mask", at, 1)
    assert scores.contributions == pytest.approx(cell.products, abs=1e-5)
    assert scores.order.tolist() == cell.order("largest")
    assert repr(math.sqrt(made[0].config.d_k)) in printed(made, scale)
    assert scale.recorded == cell.scaled
    assert masked.recorded == cell.masked
    above, _, below = printed(made, softmax).removeprefix(r"\frac{").partition("}}{")
    assert evaluated(above + "}") == pytest.approx(cell.numerator)
    assert evaluated(below.removesuffix("}")) == pytest.approx(cell.denominator)


def test_an_edited_run_says_where_it_no_longer_agrees() -> None:
    trace, model = small_run()
    address = "encoder/0/self_attention/scores"
    edited = replace(trace, tensors=dict(trace.tensors) | {address: trace[address] + 1})
    node = node_of_step((edited, model), "encoder.0.self_attention.scores", {})
    assert node.verdict == "differs"
    assert node.difference == pytest.approx(1, abs=1e-4)


def test_a_row_that_may_look_nowhere_has_no_weights_and_says_so() -> None:
    trace, model = small_run(2)
    address = "encoder/0/self_attention/masked"
    nowhere = {
        address: torch.full_like(trace[address], -torch.inf),
        "encoder/0/self_attention/weights": torch.full_like(trace[address], torch.nan),
    }
    edited = replace(trace, tensors=dict(trace.tensors) | nowhere)
    node = node_of_step((edited, model), "encoder.0.self_attention.softmax", {})
    assert math.isnan(node.exact)
    assert node.difference == 0
    assert printed((edited, model), node).startswith(r"\frac{e^{-inf}}{e^{-inf} + ")


@pytest.mark.parametrize(
    ("at", "key"), [({"query": 99}, "out_of_range"), ({"hidden": 0}, "unknown_axis")]
)
def test_a_cell_that_does_not_exist_is_refused(at: dict[str, int], key: str) -> None:
    made = small_run()
    with pytest.raises(GlassformerError) as caught:
        node_of_step(made, "encoder.0.self_attention.scores", at)
    assert caught.value.key == key
