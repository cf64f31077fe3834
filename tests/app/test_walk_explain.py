"""The words, numbers and code beside a step: each is what was recorded, in every language."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.walkthrough import code
from glassformer.app.pages.walkthrough.figures.formula import number_printer
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.pages.walkthrough.scene import scene
from glassformer.app.pages.walkthrough.text import (
    formula_data,
    katex_file,
    key_of,
    step_sentences,
    step_text,
)
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.words import texts_of_language
from glassformer.core.config import ModelConfig
from glassformer.core.explain.steps.steps import Kind, Step, for_layer, list_steps, steps_of
from glassformer.core.explain.steps.wires import tensor
from glassformer.core.lab.worked_examples import compute_example
from tests.explain.steps.plain_run import PlainRun
from tests.explain.steps.step_runs import CONVENTIONS, SENTENCES, bundled_run, plain, small_run


def column() -> None:
    """The right column alone, as a page of its own."""
    from glassformer.app.pages.walkthrough import ahead, code
    from glassformer.app.runs import on_screen

    on_screen.current_outcome()
    ahead.show(pictures=False)
    code.show_explain()


def shown(app: AppTest, **state: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The words of the step in view, and its code."""
    app.session_state["state"] = State(**state)
    app.run()
    assert not app.exception
    data = json.loads(app.get("bidi_component")[0].proto.bytes)
    step = data["steps"][data["current"]]
    return step["words"], step["code"]


def by_hand(found: PlainRun, focus: StepFocus) -> float:
    """The chosen number, from a run in plain numpy."""
    cell = focus.cell(focus.output)
    if cell.wire.form == "chosen":
        return float(tensor(focus.trace, cell.wire)[cell.index])
    values = found.found[cell.wire.key]
    return float(values[cell.index[len(cell.index) - values.ndim :]])


@pytest.mark.parametrize("text", SENTENCES)
def test_every_step_has_its_words_its_numbers_and_its_code(text: str) -> None:
    run, app = bundled_run(text), AppTest.from_function(column, default_timeout=60)
    trace, independent = run[0], plain(run)
    for place, step in enumerate(for_layer(list_steps(trace), place_of(text), place_of(text))):
        language = LANGUAGES[(place + place_of(text)) % len(LANGUAGES)]
        now = State(text=text, walk=step.id, language=language)
        words, data = shown(app, text=text, walk=step.id, language=language)
        expected = by_hand(independent, StepFocus(now, trace, FigureStyle()))
        keys = [key_of(trace.config, step), *(["scale_here"] if step.kind == "scale" else [])]
        template = "\n\n".join(texts_of_language(language)[f"walk_steps.{key}"] for key in keys)
        pattern = ".+".join(map(re.escape, re.split(r"\{\w+\}", template)))
        assert re.fullmatch(pattern, words["text"]), step.id
        assert last_number(words) == pytest.approx(expected, rel=6e-3, abs=2e-6), (step.id, words)
        check_code(data, trace, step)


def last_number(words: dict[str, Any]) -> float:
    """The number in bold at the end of the formula in numbers."""
    *_, said = re.findall(r"\\mathbf\{((?:[^{}]|\{[^{}]*\})*)\}", words["numbers"])
    power = re.sub(r" \\cdot(?:\\nobreak)? 10\^", "e", said).replace("10^", "1e")
    return float(re.sub(r"[{}]", "", power))


# The places and conventions at which a step has a text of its own.
SPECIAL = {
    key.removeprefix("walk_steps.")
    for key in texts_of_language("en")
    if key.startswith("walk_steps.") and key.count(".") > 1
}


def place_of(text: str) -> int:
    return SENTENCES.index(text)


def check_code(data: dict[str, Any], trace: Any, step: Step) -> None:
    """Lines are marked, and a shape with an address is that of the recorded tensor."""
    assert data["symbols"], step.id
    assert data["sources"], step.id
    lines = [line for source in data["sources"] for line in source["lines"]]
    assert any(line["marked"] for line in data["sources"][0]["lines"]), step.id
    for shape in (each for line in lines for each in line["shapes"]):
        assert all(size > 0 for _, size in shape["sizes"])
        if shape["go"]:
            assert shape["go"]["step"] in {each.id for each in list_steps(trace)}
            sizes = [size for _, size in shape["sizes"]]
            assert sizes == list(trace[shape["go"]["address"]].shape), (step.id, shape)


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_is_a_text_for_every_kind_and_for_every_special_place(language: str) -> None:
    known = texts_of_language(language)
    for key in (*get_args(Kind), *SPECIAL):
        assert len(known[f"walk_steps.{key}"]) > (40 if language == "zh" else 120), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_has_no_more_than_stress_in_it(language: str) -> None:
    """The browser writes it: of markdown it knows *this* and **this** alone."""
    for key, written in texts_of_language(language).items():
        if key.startswith("walk_steps."):
            plain_words = re.sub(r"\*\*[^*]+\*\*|\*[^*]+\*", "", written)
            assert not set(plain_words) & set("*`$\\[]#|"), key


def test_streamlit_brings_what_sets_the_formulas() -> None:
    assert re.fullmatch(r"rehype-katex\.[\w-]+\.js", katex_file())


def test_words_of_the_sentence_stay_apart_from_ours() -> None:
    trace, _ = bundled_run(SENTENCES[0])
    words = formula_data(
        StepFocus(State(text=SENTENCES[0], walk="output.choice"), trace, FigureStyle())
    )
    ((before, word, after),) = words["notes"]
    assert (before.strip(), word, after) == ("that is", trace.output_tokens[0], "")


OF_OTHERS: tuple[dict[str, Any], ...] = (
    {"encoder_layers": 0, "final_norm": True, "norm_kind": "rms", "norm_place": "pre"},
    {"encoder_layers": 0, "kv_heads": 2, "positions": "rotary"},
    {"decoder_layers": 0, "positions": "learned", "head_transform": True},
    {"positions": "relative"},
)


def test_every_special_text_is_of_some_model() -> None:
    found = set()
    for convention in (*CONVENTIONS, {"final_norm": True}, *OF_OTHERS):
        config = ModelConfig(vocabulary_size=9, **{"d_model": 16, "n_heads": 4, **convention})
        for tied in (False, True):
            model = replace(config, share_embeddings=tied, tie_generator=tied)
            for step in (*steps_of(model, True), *steps_of(model, False, True)):
                found.add(key_of(model, step))
                assert "{" not in step_text(model, step)
    assert found >= SPECIAL
    assert found >= set(get_args(Kind)) - {"final_norm"}


@pytest.mark.parametrize(("convention", "sign"), [(0, "max(0, ·)"), (1, "GELU"), (2, "GELU_tanh")])
def test_the_activation_of_the_model_stands_before_its_units(convention: int, sign: str) -> None:
    state = State(walk="encoder.0.feed_forward.activation")
    (drawn,) = scene.step_scene(StepFocus(state, small_run(convention)[0], FigureStyle()))[
        "operations"
    ]
    assert drawn["sign"] == sign


def test_symbols_lead_to_the_steps_that_make_them() -> None:
    trace, _ = bundled_run(SENTENCES[0])
    state = State(text=SENTENCES[0], walk="decoder.0.cross_attention.project")
    data = code.step_code(StepFocus(state, trace, FigureStyle()))
    goes = {
        "".join(text for text, _ in each["runs"]): each["go"] and each["go"]["step"]
        for each in data["symbols"]
    }
    assert goes["x"] == "decoder.0.self_attention.norm"
    assert goes["Q"] == "decoder.0.cross_attention.project"
    assert goes["WQ"] is None


@pytest.mark.parametrize(
    ("value", "latex"),
    [(4321.0, "4321"), (0.0, "0"), (-0.25, "-0.250"), (-1e9, "-10^{9}"), (np.inf, r"\infty"),
     (1.234e-7, r"1.23 \cdot 10^{-7}"), (np.nan, r"\mathrm{NaN}")],
)  # fmt: skip
def test_numbers_are_printed_to_the_readers_precision(value: float, latex: str) -> None:
    assert number_printer(3)(value) == latex


@pytest.mark.parametrize("address", ["encoder/0/self_attention", "decoder/1/cross_attention"])
def test_the_division_says_what_it_did_to_the_scores_on_screen(address: str) -> None:
    trace, head = bundled_run(SENTENCES[0])[0], 2
    scaled = trace[f"{address}/scaled"][0, head].double().numpy()
    step = next(
        each for each in list_steps(trace) if each.outputs[0].address == f"{address}/scaled"
    )
    kind = {"cross": "cross"}.get(address.split("/")[-1][:5], "encoder")
    now = State(text=SENTENCES[0], walk=step.id, kind=kind, head=head, layer=int(address[8]))
    words = step_sentences(StepFocus(now, trace, FigureStyle()))
    said = words.rpartition("\n\n")[2].replace("−", "-")
    d_k = trace.config.d_k
    before, after, largest = map(float, re.findall(r"-?\d+(?:\.\d+)?", said))
    assert [before, after, largest] == pytest.approx(
        [d_k * scaled.var(), scaled.var(), np.abs(scaled).max()], rel=6e-3
    )


def test_with_one_matrix_for_both_only_the_raw_scores_are_symmetric() -> None:
    """What the step of the projections says, on four words that are queries and keys at once."""
    worked = compute_example("self-similarity-8d")
    scores, weights = (worked.quantity(name).value for name in ("scores", "weights_unscaled"))
    assert (scores - scores.T).abs().max() < 1e-9
    assert weights[1, 0] > 1e5 * weights[0, 1]
    assert "the scores would be symmetric" in texts_of_language("en")["walk_steps.project"]
    assert "分数就是对称的" in texts_of_language("zh")["walk_steps.project"]
