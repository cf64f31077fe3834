"""Every number that the Walkthrough draws, of every step, against a run in plain numpy."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from glassformer.app.pages.walkthrough.figures import sheets as walk_sheets
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.pages.walkthrough.scene.scene import scene_context, step_scene
from glassformer.app.plots.labels import format_number, format_percent
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import State
from glassformer.core.explain.steps.places import in_heads
from glassformer.core.explain.steps.steps import Step, list_steps
from glassformer.core.explain.steps.wires import Wire, tensor, wire_axes
from glassformer.core.trace.trace import Trace
from tests.explain.steps.step_runs import NAMES, RUNS, Run, plain

Scene = tuple[Step, StepFocus, dict[str, Any]]
EVERY_RUN = pytest.mark.parametrize("run", RUNS, ids=NAMES)
BUDGET = 256 * 1024


def focus_on(trace: Trace, step: Step, **state: Any) -> StepFocus:
    return StepFocus(State(walk=step.id, **state), trace, FigureStyle())


def scene_of(trace: Trace, step: Step, **state: Any) -> tuple[StepFocus, dict[str, Any]]:
    focus = focus_on(trace, step, **state)
    with patch(
        "glassformer.app.words.get_state", State
    ):  # without a session it warns at every text
        return focus, scene_context(focus) | step_scene(focus)


@cache
def scenes(run: Callable[[], Run]) -> tuple[Scene, ...]:
    trace, _ = run()
    return tuple((step, *scene_of(trace, step)) for step in list_steps(trace))


def drawn(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [panel for column in data.get("columns", ()) for panel in column["panels"]]


def decoded(panel: dict[str, Any]) -> np.ndarray:
    values = np.frombuffer(base64.b64decode(panel["values"]), np.float32)
    return values.reshape(panel["rows"]["size"], panel["columns"]["size"])


def expected(focus: StepFocus, found: dict[str, np.ndarray], wire: Wire) -> np.ndarray:
    """The numbers of a sheet: of the chosen head, a column where there is but one a row."""
    if wire.address.endswith("/ids"):
        return focus.trace[wire.address][0].numpy()[:, None]
    values = found["memory" if wire.address.endswith("/memory") else wire.key]
    if values.ndim == 3:
        values = values[focus.at(wire)["head"]]
    return values


@EVERY_RUN
def test_maps_show_what_an_independent_run_computes(run: Callable[[], Run]) -> None:
    found = plain(run()).found
    for _, focus, data in scenes(run):
        for panel in drawn(data):
            if panel["kind"] not in ("map", "narrow"):
                continue
            wire = Wire.of(panel["key"])
            shown, right = decoded(panel), expected(focus, found, wire)
            allowed = np.ones(shown.shape, bool)
            if panel["allowed"]:
                flags = base64.b64decode(panel["allowed"])
                allowed = np.frombuffer(flags, np.uint8).reshape(shown.shape).astype(bool)
                assert (~allowed).any()
            assert np.allclose(shown[allowed], right[allowed], rtol=1e-4, atol=1e-4), panel["key"]


@EVERY_RUN
def test_every_tensor_of_a_step_is_drawn_and_named(run: Callable[[], Run]) -> None:
    trace, _ = run()
    for step, _, data in scenes(run):
        assert len(json.dumps(data)) < BUDGET
        if "blocks" in data:
            keys = {stage["key"] for stage in data["blocks"]["stages"]}
            assert keys == {wire.key for wire in step.regroupings[0].stages}
            captions = data["blocks"]["stages"]
        else:
            beside = ("E", "t")  # the table, and the rows to choose from
            captions = [each for each in drawn(data) if each["symbol"] not in beside]
            own = [each["key"] for each in captions]
            assert sorted(own) == sorted({wire.key for wire in (*step.inputs, *step.outputs)})
            assert sum(each["framed"] for each in captions) == 1
        for caption in captions:
            wire = Wire.of(caption["key"])
            assert caption["symbol"]
            for axis in wire_axes(trace, wire):
                assert str(axis.size) in caption["shape"]


@EVERY_RUN
def test_the_number_in_the_frame(run: Callable[[], Run]) -> None:
    trace, _ = run()
    for _, focus, data in scenes(run):
        *_, number = data["readout"]
        cell = focus.cell(focus.output)
        recorded = float(tensor(trace, cell.wire)[cell.index])
        if cell.wire.form == "chosen":
            assert number.endswith(f"({int(recorded)})")
        else:
            assert number == format_number(recorded, 3)
        if "blocks" in data:
            continue
        framed = next(each for each in drawn(data) if each["framed"])
        if framed["kind"] != "bars":
            row, column = framed["at"]
            assert decoded(framed)[row, column] == np.float32(recorded) or np.isnan(recorded)


@EVERY_RUN
def test_blocks_hold_the_heads_numbers(run: Callable[[], Run]) -> None:
    found = plain(run()).found
    for step, _, data in scenes(run):
        if not step.regroupings:
            continue
        blocks = data["blocks"]
        key = blocks["stages"][blocks["forms"].index("heads")]["key"]
        right = np.abs(found[key])
        levels = np.frombuffer(base64.b64decode(blocks["levels"]), np.uint8)
        shown = levels.reshape(blocks["size"]) / 254 * blocks["limit"]
        assert np.allclose(shown, np.minimum(right, blocks["limit"]), atol=blocks["limit"] / 250)


@EVERY_RUN
def test_bars_are_the_most_probable_words(run: Callable[[], Run]) -> None:
    trace, _ = run()
    found = plain(run()).found
    steps = {step.kind: step for step in list_steps(trace)}
    for row in range(len(trace.target_tokens)):
        _, data = scene_of(trace, steps["probabilities"], token=("target", row))
        _, scores, chances = drawn(data)
        logits = np.sort(found["output/logits"][row])[::-1][: len(scores["numbers"])]
        taken = trace.vocabulary.index(trace.output_pieces[row])
        given = found["output/logits"][row][taken]
        if given < logits[-1]:
            logits[-1] = given
        assert np.allclose(scores["numbers"], logits, atol=1e-3)
        assert chances["texts"] == [format_percent(each) for each in chances["numbers"]]
        chosen = chances["at"][0]
        right = found["output/probabilities"][row][taken]
        assert chances["numbers"][chosen] == pytest.approx(right, abs=1e-4)
        assert scores["labels"] == chances["labels"]


def test_the_chosen_words_are_the_translation() -> None:
    trace, _ = RUNS[0]()
    step = list_steps(trace)[-1]
    words = drawn(scene_of(trace, step)[1])[-1]
    written = [label.split(" (")[0] for label in words["labels"]]
    assert tuple(written) == trace.output_tokens


def test_a_head_that_is_chosen_is_the_one_drawn() -> None:
    trace, _ = RUNS[0]()
    for step in list_steps(trace):
        for head in range(trace.config.n_heads):
            _, data = scene_of(trace, step, head=head)
            for panel in drawn(data):
                wire = Wire.of(panel["key"]) if panel["key"] != "table" else None
                if wire and any(axis.name == "head" for axis in wire_axes(trace, wire)):
                    whole = tensor(trace, wire)[0, head].numpy()
                    assert np.array_equal(decoded(panel), whole.astype(np.float32))
                elif wire and in_heads(wire) and panel["kind"] == "map":
                    assert panel["at"][1] // trace.config.d_k == head


def test_long_sentences_send_colours_only() -> None:
    trace, _ = RUNS[0]()
    wide = Wire("encoder/0/feed_forward/activation")
    found = walk_sheets.sheet(
        tensor(trace, wide)[0].numpy(),
        wire_axes(trace, wide),
        {"batch": 0, "position": 1, "hidden": 5},
    )
    sent = walk_sheets.sheet_data(found, 2.0, positive=True, exact=False)
    levels = np.frombuffer(base64.b64decode(sent["levels"]), np.uint8).reshape(found.values.shape)
    assert np.allclose(levels / 254 * 2, np.clip(found.values, 0, 2), atol=0.01)
    assert "values" not in sent
