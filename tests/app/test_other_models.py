"""Other people's models on the first page and the Walkthrough, whatever they do with a text."""

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from streamlit.testing.v1 import AppTest

from glassformer.app.frame.sentence import in_words
from glassformer.app.pages.translate import headline_parts
from glassformer.app.pages.translate.map.plan import plan_map
from glassformer.app.pages.walkthrough import code, text
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.pages.walkthrough.scene import scene
from glassformer.app.plots.labels import format_percent
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import library
from glassformer.app.runs.models import get_model, task_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State, clamp
from glassformer.core.analysis.attention_views import attention_at, kinds_of
from glassformer.core.analysis.blocks import blocks_of_model
from glassformer.core.analysis.choices import probabilities, rows_by_model
from glassformer.core.analysis.export import run_bytes
from glassformer.core.trace.trace import Trace
from glassformer.core.weights.opened_model import open_model
from tests.opened_app import drawn, memory, opened, state_of
from tests.opened_files import open_in, with_header
from tests.sent import data_of
from tests.weights.folders import edit, tensors, whole

TEXTS = {
    "marian": "The cat sat", "t5": "The cat sat", "gpt2": "The cat sat",
    "llama-3": "The cat sat", "bert": "the cat ___ on", "vectors": "the cat sat",
}  # fmt: skip
TASKS = {"gpt2": "continue", "llama-3": "continue", "bert": "fill_in", "vectors": "vectors"}


@pytest.fixture(scope="module", autouse=True)
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The operator's folder: a model of every kind, and two that cannot be opened."""
    root = tmp_path_factory.mktemp("models")
    for name in TEXTS:
        folder = root / name
        folder.mkdir()
        whole({"llama-3": "llama 3", "vectors": "bert"}.get(name, name), folder)
    _without_head(root / "vectors" / "model.safetensors")
    (root / "broken").mkdir()
    (root / "broken" / "config.json").write_text((root / "gpt2" / "config.json").read_text())
    (root / "no-model").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_MODELS", str(root))
        yield root


def _without_head(weights: Path) -> None:
    held = {n: each.clone() for n, each in load_file(weights).items() if not n.startswith("cls.")}
    weights.unlink()
    save_file(held, weights)


def run_of(name: str) -> Trace:
    return get_model(name).trace(TEXTS[name])


def said(app: AppTest) -> str:
    shown = [each.value for each in (*app.markdown, *app.caption, *app.get("html"))]
    return html.unescape(re.sub(r"<[^>]+>", "", "\n".join(shown)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEXTS)
def test_the_first_page_shows_what_was_written(name: str, language: str) -> None:
    app = opened(model=name, text=TEXTS[name], language=language)
    trace, sent = drawn(app), data_of(app, "headline")
    assert trace.model_name == name
    assert sent["badge"] == ""  # nobody has measured how often it is right
    assert not [box for box in app.selectbox if box.key == f"widget_direction_{language}"]
    if name == "vectors":
        assert sent["parts"] == [[TEXTS[name], True]]
        return
    chances = probabilities(trace)
    least = min(chances[row] for row in rows_by_model(trace))
    assert format_percent(least) in sent["cue"]
    own = "".join(part for part, given in sent["parts"] if not given) or sent["text"]
    assert own != ""
    if TASKS.get(name) == "continue":
        assert sent["parts"][0] == [TEXTS[name], True]


@pytest.mark.parametrize("name", TEXTS)
def test_lines_join_what_was_read_and_what_was_written(name: str) -> None:
    app = opened(model=name, text=TEXTS[name])
    trace, sent = drawn(app), data_of(app, "word_lines")
    assert len(sent["sources"]) == len(trace.source_tokens or trace.target_tokens)
    assert len(sent["outputs"]) == len(trace.output_tokens)
    kind = kinds_of(trace.config)[-1]
    layer = trace.config.decoder_layers - 1 if kind == "cross" else 0
    weights = trace[f"{attention_at(kind, layer)}/weights"][0].mean(dim=0)  # (T, S)
    row, column, weight = sent["lines"][0]
    assert weight == pytest.approx(float(weights[row, column]), abs=1e-4)
    percents = [word.get("percent") for word in sent["outputs"]]
    assert (None in percents) == (name == "vectors")


@pytest.mark.parametrize("name", TEXTS)
def test_every_block_of_the_map_opens(name: str) -> None:
    app = opened(model=name, text=TEXTS[name])
    trace = drawn(app)
    items = plan_map(trace, FigureStyle(dark=False))["items"]
    buttons = {item["id"] for item in items if item["kind"] == "button"}
    unfolded = [block for block in blocks_of_model(trace.config) if block.layer in (None, 0)]
    assert {block.id for block in unfolded} <= buttons
    for block in unfolded:
        shown = opened(model=name, text=TEXTS[name], block=block.id)
        assert state_of(shown).block == block.id
        assert len(shown.get("plotly_chart")) == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEXTS)
def test_every_step_of_the_walkthrough_is_told_and_drawn(
    name: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, trace = get_model(name), run_of(name)
    state = State(model=name, language=language)
    monkeypatch.setattr("glassformer.app.runs.on_screen.model_on_screen", lambda: model)
    monkeypatch.setattr("glassformer.app.words.get_state", lambda: state)
    focus = StepFocus(state, trace, FigureStyle(dark=False))
    for step in focus.every_step:
        there = focus.at_step(step)
        words, drawing = text.text_of_step(there), scene.step_scene(there)
        assert words["text"] and words["equations"], step.id
        assert code.step_code(there)["sources"], step.id
        assert "\\" not in "".join(drawing["readout"]), step.id  # LaTeX belongs to the column
        value = trace[there.cell(there.output).wire.address] if not there.output.form else None
        if value is not None and value.is_floating_point():
            number = float(value[there.cell(there.output).index])
            assert drawing["readout"][-1] == focus.look.number(number), step.id


@pytest.mark.parametrize("name", TEXTS)
def test_the_walkthrough_opens(name: str) -> None:
    app = opened("walkthrough", model=name, text=TEXTS[name])
    assert drawn(app).model_name == name
    titles = [stack["title"] for stack in data_of(app, "strip")["stacks"]]
    assert ("Text" in titles) == (name in TASKS)


def test_the_menu_tells_what_each_model_is(root: Path) -> None:
    app = opened(model="gpt2", text="The cat")
    labels = app.selectbox(key="widget_model_en").options
    facts = library.facts_of_model("gpt2")
    assert isinstance(facts, library.Facts)
    line = next(each for each in labels if each.startswith("gpt2"))
    assert in_words(facts.parameters) in line and "continues a text" in line
    assert "licence not told" in line and "of memory" in line
    closed = next(each for each in labels if each.startswith("broken"))
    assert "cannot be opened" in closed and "model.safetensors" in closed
    assert not [each for each in labels if "no-model" in each]
    (root / "gpt2" / "README.md").write_text("---\nlicense: mit\n---\n", encoding="utf-8")
    (root / "gpt2" / "more").mkdir()
    labels = opened(model="gpt2").selectbox(key="widget_model_en").options
    assert " · mit · " in next(each for each in labels if each.startswith("gpt2"))


@pytest.mark.parametrize(("language", "said"), [
    ("en", "heads left aside: classification · not applied: repetition_penalty=1.3, min_length=2"),
    ("zh", "未使用的输出头：分类 · 未应用：repetition_penalty=1.3、min_length=2"),
])  # fmt: skip
def test_the_menu_names_what_is_left_aside(language: str, said: str, root: Path) -> None:
    folder = root / "finetuned"
    folder.mkdir(exist_ok=True)
    whole("gpt2", folder)
    tensors(lambda held: held.update({"score.weight": torch.ones(2, 24)}))(folder)
    acting = {"repetition_penalty": 1.3, "min_length": 2}
    edit("generation_config.json", **acting)(folder)
    labels = opened(model="gpt2", language=language).selectbox(key=f"widget_model_{language}")
    assert next(each for each in labels.options if each.startswith("finetuned")).endswith(said)
    app = opened(model="finetuned", text="The cat", language=language)
    assert data_of(app, "headline")["cue"].endswith(said)
    rmtree(folder)


@pytest.mark.parametrize(("language", "said"), [("en", "mean nothing"), ("zh", "没有意义")])
def test_words_that_no_head_scores_are_said_to_mean_nothing(
    language: str, said: str, root: Path
) -> None:
    folder = root / "headless"
    folder.mkdir(exist_ok=True)
    whole("llama 3", folder)
    tensors(lambda held: held.pop("lm_head.weight"))(folder)
    app = opened(model="headless", text="The cat", language=language)
    assert said in data_of(app, "headline")["cue"]
    assert drawn(app).model_name == "headless"
    rmtree(folder)


def test_the_second_of_two_ends_is_a_flag_on_the_decoding_page(root: Path) -> None:
    folder = root / "two-ends"
    folder.mkdir(exist_ok=True)
    whole("gpt2", folder)
    model = open_model(folder)
    words = list(model.trace(TEXTS["gpt2"]).output_ids)[-20:]
    last = next(n for n in range(1, 20) if words[n] not in words[:n])
    unused = next(each for each in range(1, 400) if each not in words)
    edit("generation_config.json", eos_token_id=[unused, words[last]])(folder)
    for kind in ("timeline", "forcing"):
        app = opened("decoding", model="two-ends", text=TEXTS["gpt2"], decoding=kind)
        columns = data_of(app, "decoding_strip")["columns"]
        assert len(columns) == last + 1
        assert [column["writes"] == "" for column in columns] == [False] * last + [True]
    app = opened("decoding", model="two-ends", text=TEXTS["gpt2"], decoding="strategies")
    rows = data_of(app, "strategy_rows")
    greedy = next(line for line in rows["lines"] if line["name"] == "greedy")
    assert [word["end"] for word in greedy["words"]] == [False] * last + [True]
    rmtree(folder)


def test_a_model_that_cannot_be_opened_says_so_and_nothing_is_lost() -> None:
    app = opened(model="gpt2", text="The cat")
    before = drawn(app)
    box = app.selectbox(key="widget_model_en")
    box.select(next(each for each in box.options if each.startswith("broken"))).run()
    assert not app.exception
    assert "broken holds no model" in said(app)
    assert drawn(app) is before


@pytest.mark.parametrize(("name", "told"), [("gpt2", "at most"), ("bert", "at most")])
def test_a_text_beyond_the_positions_is_one_sentence(name: str, told: str) -> None:
    app = opened(model=name, text=TEXTS[name])
    app.text_input(key="widget_sentence").set_value("cat " * 300).run()
    assert not app.exception
    assert told in said(app)
    app.text_input(key="widget_sentence").set_value(" ").run()
    assert not app.exception
    assert "Still shown" in said(app)


@pytest.mark.parametrize("name", TEXTS)
def test_the_focus_settles_to_what_the_model_has(name: str) -> None:
    trace = run_of(name)
    for kind in ("encoder", "decoder", "cross"):
        state, _ = clamp(State(kind=kind, layer=99, head=99, query=99, key=99), trace)
        assert state.kind in kinds_of(trace.config)
        assert (state.layer, state.head, state.query, state.key) == (0, None, None, None)
    side = "source" if trace.source_tokens else "target"
    state, gone = clamp(State(token=(side, 0)), trace)
    assert state.token == (side, 0)
    assert gone == ()
    if not trace.source_tokens:
        assert clamp(State(token=("source", 0)), trace)[0].token is None


def test_the_page_is_called_by_what_the_model_does() -> None:
    assert [task_of(name) for name in TASKS] == list(TASKS.values())
    assert task_of("") == task_of("translator") == "translate"


@pytest.mark.parametrize("name", ["gpt2", "llama-3"])
def test_a_text_has_lines_where_the_model_tells_them_apart(name: str) -> None:
    app = opened(model=name, text="the cat\n\nsat")
    assert app.text_input(key="widget_sentence").value == "the cat⏎⏎sat"
    assert drawn(app).source_text == state_of(app).text == "the cat\n\nsat"
    assert "⏎" in "".join(drawn(app).target_tokens)
    assert data_of(app, "headline")["parts"][0] == ["the cat⏎⏎sat", True]
    app.text_input(key="widget_sentence").set_value("the⏎cat").run()
    assert drawn(app).source_text == state_of(app).text == "the\ncat"


@pytest.mark.parametrize("name", ["", "marian", "bert"])
def test_a_line_break_is_a_blank_to_other_models(name: str) -> None:
    app = opened(model=name, text="the cat\r\nsat", second="the cat\nsat", run="first")
    assert app.text_input(key="widget_sentence").value == "the cat sat"
    assert app.text_input(key="widget_second").value == "the cat sat"
    assert drawn(app).source_text == state_of(app).text == "the cat sat"  # as one types it


def test_many_texts_have_lines_too() -> None:
    app = opened("switch", switches="texts", model="gpt2", texts="one⏎two\n  three ")
    assert app.text_area(key="widget_texts_typed").value == "one⏎two\nthree"
    app.button(key="texts_run").click().run()
    ((_, found),) = memory(app).over_texts.items()
    assert [each.result.text for each in found] == ["one\ntwo", "three"]


def test_the_sentence_of_a_patch_has_lines_too() -> None:
    app = opened("switch", switches="tensors", model="gpt2", text="the cat\nsat")
    app.button_group(key="widget_tensor_act").set_value("patch").run()
    app.text_input(key="widget_tensor_sentence").set_value("the⏎cat ").run()
    assert "the%0Acat" in state_of(app).draft
    assert app.text_input(key="widget_tensor_sentence").value == "the⏎cat"


def test_a_blank_is_filled_in_the_text_as_typed() -> None:
    trace = run_of("bert")
    (row,) = rows_by_model(trace)
    given, word, rest = headline_parts.text_parts(trace)
    assert (given, rest) == (("the cat ", True), (" on", True))
    assert word == (headline_parts.as_text([trace.output_tokens[row]]), False)
    best = trace["output/probabilities"][0, row].argmax()
    assert trace.output_ids[row] == int(best)


def test_the_map_of_many_layers_keeps_its_columns_apart(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    whole("gpt2", folder, n_layer=48, n_head=32, n_embd=64)
    drawing = plan_map(open_model(folder).trace("The cat"), FigureStyle(dark=False))
    slabs = [each for each in drawing["items"] if re.fullmatch(r"decoder/\d+", each.get("id", ""))]
    assert len(slabs) == 48
    boxes = sorted((each["ring"]["x"], each["ring"]["width"]) for each in slabs)
    assert all(width >= 9 for _, width in boxes[1:])
    assert all(x + w <= after for (x, w), (after, _) in pairwise(boxes[1:]))
    assert boxes[-1][0] + boxes[-1][1] <= drawing["width"]


@pytest.mark.parametrize(
    ("count", "words"),
    [(950, "950"), (37_500, "37.5 k"), (74e6, "74 M"), (1_240_000_000, "1.24 B")],
)
def test_weights_are_counted_in_three_digits(count: float, words: str) -> None:
    assert in_words(int(count)) == words


@pytest.mark.parametrize("name", TEXTS)
def test_a_saved_run_reopens(name: str) -> None:
    app = opened("attention", text="I like you")
    trace = run_of(name)
    open_in(app, "a run.bin", run_bytes(trace))
    assert not app.error and drawn(app).output_text == trace.output_text
    assert (state_of(app).model, state_of(app).text) == (name, TEXTS[name])


def test_a_saved_run_of_a_model_that_is_not_here_is_shown_too() -> None:
    app = opened("attention", text="I like you")
    open_in(app, "a run.bin", with_header(run_bytes(run_of("gpt2")), model_name="elsewhere"))
    assert not app.error and drawn(app).source_tokens == ()
    assert state_of(app).text == TEXTS["gpt2"]


@pytest.mark.parametrize("model", ["marian", "gpt2", "bert", "vectors"])
def test_the_lines_of_save_run_beside_the_models_and_where_they_are_named(
    model: str, root: Path, tmp_path: Path
) -> None:
    off = "heads_off:*/0/self_attention,(1)" if model == "gpt2" else ""
    app = opened(model=model, text=TEXTS[model], edits=off)
    app.button("widget_saving").click().run()
    assert not app.exception
    trace = drawn(app)
    for folder in (tmp_path, root):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            if folder == root:
                patch.delenv("GLASSFORMER_MODELS")
            exec(app.code[0].value, found := dict[str, Any]())
        assert found["trace"].source_text == TEXTS[model] and len(found["table"])
        assert found["trace"].output_pieces == trace.output_pieces
