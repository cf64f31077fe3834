"""The rule of transformers against its own `generate`, and what it shares with the paper's."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from glassformer.core.decoding.beam import ENDED, beam, length_penalty
from glassformer.core.decoding.step import Task
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.weights.model_folder import load_weights, look_into_folder
from tests.decoding.tasks import END, task
from tests.weights.oracle import KINDS

Maker = Callable[..., Transformer]
NEAR = 1e-5  # in float32
# Of each kind. No two totals of one step are nearer than 1e-5: no processor reorders them.
MODELS, SEARCHES = 8, 8
SIZES: dict[str, dict[str, Any]] = {
    "marian": {"vocab_size": 50, "encoder_layers": 1, "decoder_layers": 1},
    "m2m100": {"encoder_layers": 1, "decoder_layers": 1},
    "gpt2": {"n_layer": 1},
}


@torch.no_grad()
def inclined(oracle: Any, folder: Path, seed: int) -> Transformer:
    """The same weights as ours, which like to end: what is written is short or long."""
    head, end = oracle.get_output_embeddings().weight, oracle.config.eos_token_id
    torch.manual_seed(seed)
    head += 0.5 * torch.randn_like(head)
    head[end] *= (0.5, 1.0, 2.0)[seed % 3]
    oracle.save_pretrained(folder)
    return load_weights(look_into_folder(folder), True, None)


def searches(kind: str, oracle: Any, seed: int) -> list[tuple[Task, int, float]]:
    """Tasks, numbers of beams and α: with and without a forced first word."""
    rng, config, found = random.Random(f"{kind} {seed}"), oracle.config, []
    pad = -1 if config.pad_token_id is None else config.pad_token_id
    for _ in range(SEARCHES):
        words = tuple(rng.randrange(3, 48) for _ in range(rng.randint(2, 6)))
        limit, size, alpha = rng.randint(2, 9), rng.randint(1, 5), rng.choice((0.5, 1.0, 2.0))
        if kind == "gpt2":
            limit += len(words) - 1
            one = Task((), words[0], config.eos_token_id, limit, given=words[1:])
        else:
            start, end = config.decoder_start_token_id, config.eos_token_id
            first = (rng.randrange(3, 48),) if rng.random() < 0.5 else ()
            one = Task(words, start, end, limit, frozenset({pad}) - {end}, given=first)
        found.append((one, size, alpha))
    return found


def generated(oracle: Any, one: Task, size: int, alpha: float) -> tuple[list[list[int]], list[Any]]:
    """What `generate` writes, best first, and its scores (none of greedy decoding)."""
    ids = torch.tensor([one.source or one.beginning])
    more: dict[str, Any] = {"decoder_start_token_id": one.start} if one.source else {}
    if one.source and one.given:
        more["forced_bos_token_id"] = one.given[0]
    if one.forbidden:
        more["bad_words_ids"] = [[each] for each in one.forbidden]
    if size > 1:
        more |= {"length_penalty": alpha, "num_return_sequences": size}
    out = oracle.generate(
        ids, attention_mask=torch.ones_like(ids), num_beams=size, do_sample=False,
        max_length=one.limit + 1, return_dict_in_generate=True, output_scores=True,
        pad_token_id=one.end, eos_token_id=one.end, **more,
    )  # fmt: skip
    first = 1 if one.source else len(one.beginning)
    written = [row[first:].tolist() for row in out.sequences]
    scores = [] if size == 1 else out.sequences_scores.tolist()
    return [_up_to(words, one.end) for words in written], scores


def _up_to(words: list[int], end: int) -> list[int]:
    return words[: words.index(end) + 1] if end in words else words


@pytest.mark.parametrize("kind", SIZES)
def test_the_rule_of_transformers_is_what_generate_does(kind: str, tmp_path: Path) -> None:
    fates, finished_late = set[str](), 0
    for seed in range(MODELS):
        oracle = KINDS[kind].make(tmp_path, seed, **SIZES[kind])
        model = inclined(oracle, tmp_path, seed)
        for one, size, alpha in searches(kind, oracle, seed):
            told, scores = generated(oracle, one, size, alpha)
            found = beam(model, one, size, alpha, rule="transformers")
            ours = [[*one.given[: one.forced_first], *found.words(each.index)]
                    for each in found.finished]  # fmt: skip
            fates |= {each.fate for each in found.finished}
            finished_late += found.best.fate == "cut"
            if size == 1:
                assert ours == told
                continue
            assert [each.score for each in found.finished] == pytest.approx(scores, abs=NEAR)
            assert ours == told
    assert fates == set(ENDED) and finished_late >= 3  # each end, and the limit, decide some


def test_a_forced_first_word_counts_and_has_no_share_in_the_sum(tmp_path: Path) -> None:
    oracle = KINDS["m2m100"].make(tmp_path, 3, **SIZES["m2m100"])
    model = load_weights(look_into_folder(tmp_path), True, None)
    one = Task((5, 6, 7), 2, 2, 6, frozenset({1}), given=(9,))
    found = beam(model, one, 3, 1.0, rule="transformers")
    _, scores = generated(oracle, one, 3, 1.0)
    best = found.best
    assert best.length == len(found.words(best.index)) + 1
    assert best.score == pytest.approx(best.total / best.length)
    assert best.score == pytest.approx(scores[0], abs=NEAR)


def likely_to_end(model: Transformer, seed: int) -> Transformer:
    """The same model with likes of its own, and inclined to end."""
    torch.manual_seed(seed)
    model.generator.bias += torch.randn(30)
    model.generator.bias[END] += 1.0
    return model


def test_the_rules_find_other_sentences_at_a_large_penalty(small_model: Maker) -> None:
    other = 0
    for seed in range(8):
        model, one = likely_to_end(small_model(), seed), task(limit=7)
        paper, library = beam(model, one, 3, 2.0), beam(model, one, 3, 2.0, rule="transformers")
        assert len(library.nodes) >= len(paper.nodes)
        other += paper.words(paper.best.index) != library.words(library.best.index)
    assert other >= 2


def test_penalties_and_scores_of_the_rule(small_model: Maker) -> None:
    assert length_penalty(7, 2.0, "transformers") == 49.0
    found = beam(likely_to_end(small_model(), 1), task(limit=5), 3, 1.5, rule="transformers")
    for node in found.nodes[1:]:
        assert node.score == pytest.approx(node.total / node.length**1.5)
    assert found.penalty(4) == 8.0 and found.at_alpha(1.5) == found
    assert found.at_alpha(0.0).rule == "transformers"


def test_a_rule_that_does_not_exist(small_model: Maker) -> None:
    with pytest.raises(GlassformerError, match="no rule of the beam search"):
        beam(small_model(), task(), rule="longest")  # type: ignore[arg-type]
