"""The small GPT's training: its documents, its byte pairs, and the same weights after a stop."""

import json
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from typer.testing import CliRunner

from glassformer import load_model
from glassformer.core import cli
from glassformer.core.corpus import load_grammar
from glassformer.core.corpus.split import is_held_out
from glassformer.core.errors import GlassformerError
from glassformer.core.model.stack import model_of
from glassformer.core.text_models.history import read_history
from glassformer.core.training.decoder_alone import documents as written
from glassformer.core.training.decoder_alone import run as training
from glassformer.core.training.decoder_alone.byte_pairs import (
    END,
    batches_of,
    learn_byte_pairs,
    rows_of,
)
from glassformer.core.training.decoder_alone.measure import foresee, random_rows, score_heads
from glassformer.core.training.decoder_alone.recipe import GptRecipe
from glassformer.core.training.decoder_alone.run import run_gpt_in, snapshot_steps_of
from glassformer.core.training.decoder_alone.trainer import BATCHES_A_POOL, GptTrainer
from glassformer.core.training.loop import Progress

TINY = GptRecipe(
    steps=BATCHES_A_POOL + 6, batch_size=2, length=24, warmup=4, vocabulary=300, d_model=16,
    n_heads=2, layers=2, held_out=20, later=BATCHES_A_POOL,
)  # fmt: skip
SENTENCES = ("The cat saw Blarvik.", "Blarvik is a doctor!", "My cat sleeps. My cat sleeps.")


class StopError(Exception):
    """The run is interrupted."""


def some_documents(seed: str, lists: float) -> Iterator[str]:
    rng = random.Random(f"{seed} {lists}")
    while True:
        yield " ".join(rng.choices(SENTENCES, k=3))


def trainer() -> GptTrainer:
    pairs = learn_byte_pairs(islice(some_documents("pairs", 0), 30), TINY.vocabulary)
    return GptTrainer(TINY, some_documents, pairs)


@pytest.fixture
def few_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written, "DRAWN", 200)


def test_a_run_that_was_stopped_ends_with_the_same_weights(tmp_path: Path) -> None:
    straight, stopped = tmp_path / "straight", tmp_path / "stopped"
    run_gpt_in(straight, trainer(), lambda _: None, save_every=5)

    def stop(progress: Progress) -> None:
        if progress.step == BATCHES_A_POOL + 2:  # in the second pool, between two saved states
            raise StopError

    with pytest.raises(StopError):
        run_gpt_in(stopped, trainer(), stop, save_every=5)
    assert not (stopped / "model.safetensors").exists()
    run_gpt_in(stopped, trainer(), lambda _: None, save_every=5, resume=True)
    one, other = (load_file(each / "model.safetensors") for each in (straight, stopped))
    assert one.keys() == other.keys() and all(torch.equal(one[n], other[n]) for n in one)
    assert read_history(straight) == read_history(stopped)
    files = {path.suffix for path in stopped.rglob("*") if path.is_file()}
    assert files == {".json", ".safetensors"}  # never a pickle


def test_a_run_goes_on_with_its_own_pieces_alone(tmp_path: Path) -> None:
    run_gpt_in(tmp_path, trainer(), lambda _: None)
    other = GptTrainer(TINY, some_documents, learn_byte_pairs(["another text"] * 9, 300))
    with pytest.raises(GlassformerError):
        run_gpt_in(tmp_path, other, lambda _: None, resume=True)


def test_the_rate_rises_stays_and_falls_to_nothing() -> None:
    recipe = GptRecipe(steps=1000, warmup=100, decay=0.3, rate=0.01)
    rates = [recipe.rate_of(step) for step in range(1, 1001)]
    assert rates[:100] == sorted(rates[:100]) and rates[49] == pytest.approx(0.005)
    assert set(rates[100:700]) == {0.01}
    assert rates[700:] == sorted(rates[700:], reverse=True) and rates[-1] < 1e-4


@pytest.mark.usefixtures("few_drawn")
def test_documents_are_the_same_for_a_seed_and_hold_nothing_of_the_test_set() -> None:
    grammar = load_grammar()
    kept = frozenset(written.held_out_sentences(grammar, 60))
    assert len(kept) == 60
    found = [
        list(islice(written.training_documents(grammar, kept, "a", 0.3), 300)) for _ in range(2)
    ]
    assert found[0] == found[1]
    assert found[0] != list(islice(written.training_documents(grammar, kept, "b", 0.3), 300))
    text = " ".join(found[0])
    tested = written.documents_of(sorted(kept), random.Random(1))
    assert not any(each in text for each in tested)
    for document in found[0]:
        assert document[-1] in ".?!" and "<" not in document
    once, again = written.list_said_twice(random.Random(3)).removesuffix(".").split(". ")
    assert once == again


def test_what_is_kept_for_testing_is_kept_by_its_combination() -> None:
    assert any(map(is_held_out, map(str, range(200))))  # one in so many, by its key alone
    free, sealed = written.free_sentences(), " ".join(written.held_out_free_documents())
    assert len(free) > 1000 and not any(len(each) > 12 and each in sealed for each in free[:300])


def test_byte_pairs_read_every_text_and_join_what_is_often_together() -> None:
    pairs = learn_byte_pairs(SENTENCES * 20, 288)
    assert pairs.get_vocab_size() == 288
    for text in (*SENTENCES, "naïve 猫 \t\n🙂"):
        assert pairs.decode(pairs.encode(text).ids) == text
    assert len(pairs.encode(" Blarvik").ids) == 1 < len(pairs.encode(" Zqxv").ids)
    end = pairs.token_to_id(END)
    rows = list(rows_of(SENTENCES * 9, pairs, 12))
    assert {len(row) for row in rows} == {12} and any(end in row for row in rows)
    assert rows[0][:2] == pairs.encode("The cat").ids[:2]
    assert [batch.shape for batch in batches_of(rows, 4)] == [(4, 12)] * (len(rows) // 4)


def test_scores_of_heads_that_are_what_they_are_called() -> None:
    """Written by hand: positions alone say where to look, one place back or half a row less one."""
    recipe = GptRecipe(d_model=64, n_heads=2, layers=1, length=32, vocabulary=260)
    pairs = learn_byte_pairs(SENTENCES, 260)
    model = model_of(recipe.config()).requires_grad_(False)
    for parameter in model.parameters():
        parameter.zero_()
    ids = random_rows(pairs, words=False, rows=3, half=8)
    model.target_embedding.position_table.weight[:, :32] = 40 * torch.eye(32)
    layer = model.decoder.layers[0]
    layer.self_attention_residual.norm.gamma.fill_(1.0)
    for head, back in ((0, 1), (1, 7)):
        rows = slice(32 * head, 32 * head + 32)
        layer.self_attention.w_q.weight[rows, :32] = 9 * torch.eye(32)
        # A key at place t − back answers the query of place t.
        layer.self_attention.w_k.weight[rows, :32] = 9 * torch.eye(32).roll(back, dims=0)
    scores = score_heads(model, ids)
    assert scores.previous_word[0, 0] > 0.9 > 0.2 > scores.previous_word[0, 1]
    assert scores.induction[0, 1] > 0.9 > 0.2 > scores.induction[0, 0]
    even = foresee(model, pairs, ["The cat saw Blarvik."])  # it scores all pieces alike
    assert even.loss == pytest.approx(torch.log(torch.tensor(260.0)).item(), rel=1e-4)
    assert even.bytes == len("The cat saw Blarvik.") - len(pairs.encode("The cat").tokens[0])


@pytest.mark.usefixtures("few_drawn")
def test_the_command_trains_measures_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "GptRecipe", lambda steps, seed: GptRecipe(
        steps=steps, seed=seed, batch_size=2, length=104, vocabulary=300, d_model=16, n_heads=2,
        layers=1, held_out=12,
    ))  # fmt: skip
    monkeypatch.setattr(training, "KEPT", (0, 2))
    monkeypatch.setattr("glassformer.core.training.decoder_alone.trainer.SAMPLE", 60)
    monkeypatch.setattr(training, "write_gpt_card", _short_card)
    arguments = [
        "train-gpt",
        "--output",
        str(tmp_path / "models"),
        "--runs",
        str(tmp_path / "runs"),
    ]
    first = CliRunner().invoke(cli.app, [*arguments, "--steps", "3"])
    assert first.exit_code == 0, first.output
    second = CliRunner().invoke(cli.app, [*arguments, "--steps", "4", "--resume"])
    assert second.exit_code == 0, second.output
    folder = tmp_path / "models" / "small-gpt"
    assert json.loads((folder / "config.json").read_text())["training"]["steps_done"] == 4
    history = read_history(folder)
    assert history is not None and history.steps == (0, 2, 4)
    assert all(
        {"loss", "previous_word", "induction"} <= s.metrics.keys() for s in history.snapshots
    )
    assert load_model(f"{folder}@2").trace("The cat").task == "continue"
    for wrong in (f"{folder}@3", f"{folder}@x"):
        with pytest.raises(GlassformerError):
            load_model(wrong)
    assert Tokenizer.from_file(str(folder / "tokenizer.json")).token_to_id(END) == 0


def _short_card(folder: Path, *_: object) -> None:
    for name in ("README.md", "metrics.json"):
        (folder / name).write_text("{}")


def test_snapshots_of_a_short_run() -> None:
    assert snapshot_steps_of(GptRecipe(steps=120)) == (0, 100, 120)
