"""The benches on depth, heads, order and Table 1: what they show, computed again another way."""

import base64
import html
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer
from torch.nn import functional

from glassformer import load_model
from glassformer.app.pages.lab.ngrams import panel as ngrams_panel
from glassformer.app.pages.lab.rnn import panel as rnn_panel
from glassformer.app.pages.lab.seq2seq.panel import SENTENCE
from glassformer.app.ui.text import literal
from glassformer.core.corpus import load_grammar
from glassformer.core.lab import depth as stacks
from glassformer.core.lab import rnn
from glassformer.core.lab.seq2seq import read_words
from glassformer.core.lab.why_attention import EVERYTHING, Race, untrained_layers
from glassformer.core.training.decoder_alone.documents import held_out_documents
from glassformer.core.training.decoder_alone.measure import foresee
from glassformer.core.weights.load import SMALL_GPT
from tests.opened_app import opened, typed_in_lab
from tests.sent import data_of

CHECKPOINTS = Path(__file__).parents[2] / "assets" / "checkpoints"


def bench(name: str, **query: str) -> AppTest:
    return opened("lab", lab=name, **query)


def traces(app: AppTest) -> list[dict[str, Any]]:
    (chart,) = app.get("plotly_chart")
    found: list[dict[str, Any]] = json.loads(chart.proto.spec)["data"]
    return found


def numbers(given: Any) -> np.ndarray:
    """A plotly array, which Streamlit sends as base64."""
    if not isinstance(given, dict):
        return np.asarray(given, dtype=np.float64)
    flat = np.frombuffer(base64.b64decode(given["bdata"]), dtype=given["dtype"])
    return flat.reshape([int(size) for size in str(given.get("shape", flat.size)).split(",")])


def said(app: AppTest) -> str:
    return "\n".join(
        [each.value for each in app.markdown] + [each.proto.body for each in app.get("html")]
    )


def test_depth_shows_what_a_plain_run_gives() -> None:
    shown = traces(bench("depth"))
    assert len(shown) == 12  # three panels, four stacks
    model = stacks.encoder(8, 32, 0, "post")
    x, direction = torch.randn(2, 1, 6, 32, generator=torch.Generator().manual_seed(0))
    x.requires_grad_()
    with torch.enable_grad():
        rows = [x]
        for layer in model.layers:
            rows.append(layer(rows[-1], EVERYTHING))
        loss = (rows[-1] * functional.normalize(direction, dim=-1)).sum()
    lengths = [float(row.detach().norm(dim=-1).mean()) for row in rows]
    home = [float(each.detach().norm()) for each in torch.autograd.grad(loss, rows)]
    assert numbers(shown[0]["y"]) == pytest.approx(lengths, rel=1e-4)
    assert numbers(shown[4]["y"]) == pytest.approx(home, rel=1e-4)
    unit = functional.normalize(rows[3][0].detach(), dim=-1)
    alike = (unit @ unit.T)[~torch.eye(6, dtype=torch.bool)].mean()
    assert numbers(shown[8]["y"])[3] == pytest.approx(float(alike), abs=1e-5)


def test_order_shows_the_encoder_on_both_orders() -> None:
    app = bench("order", text="I love you")
    shown = [numbers(each["z"]) for each in traces(app)]
    model = load_model()
    ids = model.trace("I love you")["source/ids"]
    with torch.no_grad():
        still = model.transformer.encode(ids)[0].numpy()
        moved = model.transformer.encode(ids.flip(1))[0].numpy()
    none, own = shown[:3], shown[3:]
    np.testing.assert_allclose(own[0], still, atol=1e-6)
    np.testing.assert_allclose(own[1], moved, atol=1e-6)
    np.testing.assert_allclose(own[2], moved - still[::-1], atol=1e-6)
    rounding = 1e-6 * np.abs(none[0]).max()
    np.testing.assert_allclose(none[1], none[0][::-1], rtol=0, atol=rounding)
    assert np.abs(none[2]).max() < rounding < 1 < np.abs(own[2]).max()


def test_the_gradient_of_attention_and_the_table() -> None:
    app = bench("why")
    curves = traces(app)
    x = torch.randn(24, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    layer = untrained_layers(16, 3, 0).attention

    def last(words: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = layer(words[None], words[None], EVERYTHING)
        return output[0, -1]

    with torch.enable_grad():
        jacobian = torch.func.jacrev(last)(x)  # (d, n, d)
    expected = jacobian.detach().pow(2).sum(dim=(0, 2)).sqrt().tolist()
    assert numbers(curves[3]["y"]) == pytest.approx(expected, rel=1e-5)
    steps = numbers(curves[6]["z"])
    assert steps[0].tolist() == list(range(24, 0, -1))
    assert steps[3].tolist() == steps[4].tolist() == [1] * 24
    assert "O(n² · d²)<br><span>= 147456" in said(app)  # fully connected
    assert "O(n² · d)<br><span>= 9216" in said(app)
    assert "O(log<sub>k</sub>(n))<br><span>= 2.89</span><b>measured 3" in said(app)


def test_the_race_runs_on_its_button_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def quick(lengths: Any, *_: Any, report: Any, **__: Any) -> Race:
        calls.append(lengths)
        report(1.0)
        times = torch.tensor([0.001, 0.004], dtype=torch.float64)
        seconds = {"recurrent": times, "convolution": times / 2, "attention": times**2 * 400}
        return Race(torch.tensor([8, 16]), seconds)  # type: ignore[arg-type]

    monkeypatch.setattr("glassformer.app.pages.lab.why.panel.time_layers", quick)
    app = bench("why")
    typed_in_lab(app, "why", view="time")
    assert traces(app) == []
    assert not calls
    (button,) = [each for each in app.button if each.key == "lab_why_measure"]
    button.click().run()
    assert not app.exception
    assert len(calls) == 1
    assert numbers(traces(app)[2]["y"]) == pytest.approx([0.4, 6.4])
    assert "From 16 words on" in said(app)


@pytest.mark.parametrize(
    "name, typed, message",
    [
        ("depth", {"layers": "40"}, "N is 40"),
        ("split", {"width": "9"}, "D is 9; it must be 2 × n"),
        ("why", {"width": "6"}, "d is 6; it must be 4 × n"),
    ],
)
def test_bad_input_is_said_and_the_picture_stays(
    name: str, typed: dict[str, str], message: str
) -> None:
    app = typed_in_lab(bench(name), name, **typed)
    assert data_of(app, "typed")["message"].startswith(message)


@pytest.mark.parametrize("name", ["depth", "split", "order", "why", "rnn"])
def test_in_chinese_and_with_one_word(name: str) -> None:
    assert "#### " in said(bench(name, language="zh", text="cat"))


def test_seq2seq_shows_each_gate_and_what_a_word_is_worth() -> None:
    app = bench("seq2seq")
    words = SENTENCE
    found, _ = read_words(words, 4, 0, 0)
    f, i, g = (getattr(found.gates, name)[1].numpy() for name in ("forget", "input", "candidate"))
    cell = f * found.gates.cell[0].numpy() + i * g
    assert all(f"{value:.3f}".replace("-", "−") in said(app) for value in (*f, *i, *cell))
    assert "Step 2: the LSTM reads animal" in said(app)
    curves = traces(app)
    assert numbers(curves[0]["y"]) == pytest.approx(found.by_word["vector"].tolist())
    assert numbers(curves[3]["y"]) == pytest.approx(found.by_length["attention"].tolist())
    share = found.by_word["vector"][0].item()
    assert f"moves by **{100 * share:.1f}%**" in said(app)
    typed_in_lab(app, "seq2seq", words=["I", "like", "you"], forget="3", step="9")
    assert "Step 3: the LSTM reads you" in said(app)
    assert numbers(traces(app)[0]["y"]).size == 3


def test_an_rnn_is_trained_on_its_button_and_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[rnn.Course] = []

    def briefly(task: rnn.Task, width: int, seed: int, steps: int = 2 * rnn.EVERY) -> rnn.Course:
        course = rnn.train_writers(task, width, seed, steps)
        if steps:
            trained.append(course)
        return course

    monkeypatch.setattr(rnn_panel, "STEPS", 2 * rnn.EVERY)
    monkeypatch.setattr(rnn_panel, "train_writers", briefly)
    monkeypatch.setattr(rnn_panel, "RNN", (*rnn_panel.RNN[:2], *rnn_panel.RNN[3:]))
    monkeypatch.setattr(rnn_panel, "_rnn", partial(rnn_panel._rnn, width="8"))
    app = bench("rnn")
    assert "what they write is chance" in said(app)
    assert not trained
    app.button(key="lab_rnn_train").click().run()
    assert not app.exception
    (course,) = trained
    steps = 2 * rnn.EVERY
    for at, way in enumerate(rnn.WAYS):
        found = rnn.write_letters(course, way, steps, "HEADBADGE")
        curve = traces(app)[at]
        assert numbers(curve["y"]) == pytest.approx(found.accuracy.tolist())
        assert f"{found.right} of 9" in said(app)
        if way != "vector":
            np.testing.assert_allclose(numbers(traces(app)[at + 2]["z"]), found.weights, atol=1e-6)
    assert "lab_rnn_train" not in [each.key for each in app.button]
    typed_in_lab(app, "rnn", letters="deaf", steps=str(rnn.EVERY))
    assert len(trained) == 1  # the steps before the last were kept
    assert "After 50 steps" in said(app)
    typed_in_lab(app, "rnn", letters="xyz")
    assert "letters" in data_of(app, "typed")["message"]


def test_counts_beside_the_translator() -> None:
    app = bench("ngrams", text="I like you")
    model, trace = load_model(), load_model().trace("I like you")
    before, written = trace.target_pieces[1:4], trace.output_pieces[3]
    pairs = ngrams_panel.held_out("en-zh")
    texts = [*ngrams_panel.counted_sentences("en-zh", 2000)]
    assert not {each.chinese for each in pairs} & {*texts}
    follows = [
        text[at + 2]
        for each in texts
        for text in [(*each, "<eos>")]
        for at in range(len(text) - 2)
        if text[at : at + 2] == before[1:]
    ]
    assert f"context met {len(follows)} times" in said(app)
    assert f"writes **{literal(trace.surfaces.get(written, written))}**" in said(app)
    for each in trace.candidates(3, 3):
        assert f"<th>{html.escape(each.token)}</th>" in said(app)
    assert [numbers(each["y"]).size for each in traces(app)] == [5, 2, 5]
    level = float(numbers(traces(app)[1]["y"])[0])
    losses = []
    with torch.no_grad():
        for pair in pairs:  # one by one, without padding
            given, target = (torch.tensor([model.ids(each)]) for each in (
                [*pair.english, "<eos>"], ["<zh>", *pair.chinese, "<eos>"]))  # fmt: skip
            logits = model.transformer(given, target[:, :-1])[0]
            losses.append(functional.cross_entropy(logits, target[0, 1:], reduction="none"))
    assert level == pytest.approx(float(torch.cat(losses).mean().exp()), rel=1e-4)
    assert "&lt;noun" not in said(app)  # a slot has a name
    typed_in_lab(app, "ngrams", smoothing="add", k="0", order="1")
    assert np.isnan(numbers(traces(app)[0]["y"])[4])  # a word with a probability of 0
    assert "perplexity ∞" in str(traces(app)[0]["hovertext"])
    typed_in_lab(app, "ngrams", k="-1")
    assert "k is -1" in data_of(app, "typed")["message"]


def test_counts_beside_the_small_gpt() -> None:
    """On the same pieces of the same held-out documents."""
    app = bench("ngrams", text="The cat", model=SMALL_GPT)
    model = load_model(SMALL_GPT)
    trace = model.trace("The cat")
    for each in trace.candidates(3, 3):
        assert f"<th>{html.escape(each.token)}</th>" in said(app)
    documents = held_out_documents(load_grammar(), ngrams_panel.HELD_OUT)
    tokenizer = Tokenizer.from_file(str(CHECKPOINTS / SMALL_GPT / "tokenizer.json"))
    found = foresee(model.transformer, tokenizer, documents)
    shown = traces(app)
    assert float(numbers(shown[1]["y"])[0]) == pytest.approx(np.exp(found.loss), rel=1e-4)
    assert f"of {found.pieces} words" in str(shown[2]["hovertext"])
    assert min(numbers(shown[0]["y"])) > float(numbers(shown[1]["y"])[0])
    typed_in_lab(app, "ngrams", beside="translator")
    assert "The animal" not in said(app)
    assert "translator writes" in said(app)
