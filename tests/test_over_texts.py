"""One experiment over many texts: numbers, errors as rows, every kind of model, the command."""

import json
from pathlib import Path

import pandas as pd
import pytest
from torch import Tensor
from typer.testing import CliRunner

from glassformer.core import cli
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.effect import effect
from glassformer.core.interventions.experiment import Experiment, run
from glassformer.core.interventions.masks import Painted
from glassformer.core.interventions.over_texts import over_texts, results_table, written_rows
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.trace.tape import Edit
from glassformer.core.weights.load import load_model as load_any
from glassformer.core.weights.opened_model import open_model
from tests.weights import folders

RUNNER = CliRunner()
OFF = "heads_off:decoder/1/cross_attention,(0,1)"
TEXTS = ["The cat is tired.", "我喜欢猫", " ".join(["word"] * 600)]


def test_the_numbers_are_those_of_the_switch_page() -> None:
    model, experiment = load_model("translator"), Experiment.from_text(OFF)
    first, second, refused = over_texts(model, TEXTS, experiment)
    plain, switched = model.trace(TEXTS[0]), run(experiment, model, TEXTS[0])
    assert (first.plain, first.switched) == (plain.full_text, switched.full_text)
    forced = run(experiment, model, TEXTS[0], target=plain.output_text)
    assert forced.output_pieces == plain.output_pieces
    expected = effect(plain, switched, forced)
    assert first.log_probabilities == pytest.approx(expected.log_probabilities)
    far = [line.divergence for line in expected.lines if line.divergence is not None]
    assert first.divergence == pytest.approx((sum(far) / len(far), max(far)))
    assert first.words == len(plain.output_pieces) and second.text == TEXTS[1]
    assert "600 words" in refused.error and refused.log_probabilities is None
    frame = results_table([first, second, refused])
    assert list(frame["error"] == "") == [True, True, False]
    assert frame["changed"][0] == (plain.full_text != switched.full_text)


def test_without_switches_nothing_moves() -> None:
    (found,) = over_texts(load_model("translator"), TEXTS[:1], Experiment())
    assert not found.changed and found.divergence == (0, 0)
    assert found.log_probabilities is not None
    assert found.log_probabilities[0] == found.log_probabilities[1] < 0


def test_a_prompt_may_be_read_and_not_gone_on_with() -> None:
    model = load_any("small-gpt")
    off = Experiment.from_text("heads_off:decoder/1/self_attention,(0,1)")
    (found,) = over_texts(model, ["Once upon a time"], off, writes=False)
    plain = model.run("Once upon a time")

    def silence(context: Tensor) -> Tensor:
        context[:, :2] = 0.0
        return context

    edit = Edit("decoder/1/self_attention/context", silence)
    switched = model.run("Once upon a time", edits=[edit])
    before, after = (run["output/logits"][0].double().log_softmax(-1) for run in (plain, switched))
    apart = (before.exp() * (before - after)).sum(dim=-1)  # (T,)
    assert found.divergence == pytest.approx((float(apart.mean()), float(apart.max())), abs=1e-6)
    assert found.words == len(plain.target_pieces) == len(apart)
    assert found.plain == model.tokens.text(plain.output_ids[-1:])
    assert found.switched == model.tokens.text(switched.output_ids[-1:])


def test_what_fits_no_text_is_a_row_what_fits_no_model_is_raised() -> None:
    model = load_model("translator")
    far = Experiment((Painted("encoder/0/self_attention", hidden=((40, 0, 3),)),))
    (found,) = over_texts(model, TEXTS[:1], far)
    assert "outside" in found.error
    for text in ("positions:learned", "heads_off:encoder/9/self_attention"):
        with pytest.raises(GlassformerError):
            next(over_texts(model, TEXTS[:1], Experiment.from_text(text)))


@pytest.mark.parametrize("kind", ["marian", "gpt2", "llama 3", "bert", "t5"])
def test_every_kind(kind: str, tmp_path: Path) -> None:
    folders.whole(kind, tmp_path / "model")
    model = open_model(tmp_path / "model")
    text = "the cat ___ on the mat" if kind == "bert" else "the cat sat"
    (found,) = over_texts(model, [text], Experiment.from_text("heads_off:*/0/self_attention,(0)"))
    assert not found.error and found.divergence is not None and found.divergence[1] > 0
    trace = model.trace(text)
    rows = written_rows(model, trace)
    if kind == "bert":
        assert [trace.source_pieces[row] for row in rows] == ["[MASK]"] and found.words == 1
    if model.kind == "continue":
        prompt = len(trace.target_pieces) - len(rows)
        assert prompt == len(model.tokens.ids(text)) - 1 > 0
        assert found.plain == model.tokens.text(trace.output_ids[prompt:])


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("\n\n".join(TEXTS), encoding="utf-8")
    for name in ("out.csv", "out.json"):
        options = ["--texts", str(tmp_path / "texts.txt"), "--experiment", OFF]
        options += ["--out", str(tmp_path / name), "--heads", str(tmp_path / "heads.csv")]
        done = RUNNER.invoke(cli.app, ["run", *options])
        assert done.exit_code == 0, done.output
        assert "3 texts" in done.output and "1 could not be run" in done.output
    for name in ("out.csv", "heads.csv"):  # spreadsheets read Chinese by this mark alone
        assert (tmp_path / name).read_bytes().startswith(b"\xef\xbb\xbf")
    found = pd.read_csv(tmp_path / "out.csv")
    assert list(found["text"]) == TEXTS and found["error"].notna().tolist() == [False, False, True]
    again = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert [each["plain"] for each in again[:2]] == list(found["plain"][:2])
    heads = pd.read_csv(tmp_path / "heads.csv")
    assert set(heads["kind"]) == {"encoder", "decoder", "cross"} and set(heads["texts"]) == {2}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--texts", "none.txt"], "none.txt cannot be read"),
        (["--texts", "bytes.txt"], "bytes.txt cannot be read"),
        (["--texts", "texts.txt", "--experiment", "nonsense:1"], "no switch"),
        (["--texts", "texts.txt", "--model", "nobody"], "no model at nobody"),
        (["--texts", "texts.txt", "--out", "no/such/folder.csv"], "cannot be written"),
    ],
)
def test_what_is_refused(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text(TEXTS[0], encoding="utf-8")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\xfa")
    done = RUNNER.invoke(cli.app, ["run", *options])
    assert isinstance(done.exception, GlassformerError) and said in str(done.exception)
