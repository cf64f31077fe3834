"""Teaching heads where to look: the losses by hand, and what they do to a head."""

import math
from dataclasses import replace

import pytest
import torch

from glassformer.core.corpus import load_grammar
from glassformer.core.corpus.draw import Pair
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.trace.tape import Tape
from glassformer.core.training.data import (
    Batch,
    Examples,
    antecedents_in,
    batches_from,
    collate,
    corpus_tokenizer,
)
from glassformer.core.training.loop import Trainer, new_model
from glassformer.core.training.loss import (
    MapTape,
    heads_loss,
    look_loss,
    mean_entropy,
    training_tape,
)
from glassformer.core.training.training_config import TrainingConfig
from tests.training.tiny import TINY

TAUGHT = replace(
    TINY, steps=60, batch_size=24, warmup=20, teach_alignment=0.5, teach_antecedent=0.5
)


@pytest.fixture(scope="module")
def batch(tokenizer: Tokenizer) -> Batch:
    trainer = Trainer.of_grammar(TAUGHT, load_grammar(), tokenizer)
    examples = Examples(tokenizer.vocabulary, places=True)
    return next(b for b in batches_from(0, trainer.stream, examples, 1, 96) if len(b.antecedents))


def test_look_loss_by_hand() -> None:
    maps = torch.tensor([[[[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [[0.1, 0.5, 0.4], [1, 0, 0]]]])
    places = torch.tensor([[0, 0, 0], [0, 0, 1], [0, 1, 2]])  # the first row has two partners
    by_hand = -(math.log(0.5 + 0.3) + math.log(0.8)) / 2
    assert look_loss(maps, places, 0).item() == pytest.approx(by_hand)
    mean = -(math.log(0.7) + math.log(0.4)) / 2
    assert look_loss(maps, places, None).item() == pytest.approx(mean)
    assert look_loss(maps, places[:0], 0).item() == 0


def test_entropy_by_hand(batch: Batch) -> None:
    even = torch.full((len(batch.source), 2, batch.source.size(1), 4), 0.25)
    found = mean_entropy({"encoder/0/self_attention/weights": even}, batch)
    assert found.item() == pytest.approx(math.log(4))


def test_places_are_those_of_the_direction() -> None:
    pair = Pair(
        english=("the", "cat", "saw", "it"),
        chinese=("猫", "看见", "它"),
        alignment=((1, 0), (2, 1), (3, 2)),
        antecedents=((3, 1),),
        template="",
        key="",
        directions=("en-zh", "zh-en"),
    )
    examples = Examples(corpus_tokenizer(load_grammar(), 3000).vocabulary, places=True)
    there, back = (examples.with_unknown(pair, way) for way in ("en-zh", "zh-en"))
    assert there.alignment == ((0, 1), (1, 2), (2, 3)) and there.antecedents == ((3, 1),)
    assert back.alignment == ((1, 0), (2, 1), (3, 2)) and back.antecedents == ((2, 0),)
    both = collate([back, there])
    assert both.antecedents.tolist() == [[0, 2, 0], [1, 3, 1]]
    assert both.alignment.tolist()[:4] == [[0, 1, 0], [0, 2, 1], [0, 3, 2], [1, 0, 1]]
    plain = Examples(corpus_tokenizer(load_grammar(), 3000).vocabulary)
    assert len(collate([plain.with_unknown(pair, "en-zh")]).alignment) == 0


def test_a_noun_named_again_is_no_pronoun() -> None:
    english, chinese = (
        tuple("the cat ran because it was old".split()),
        tuple("猫 跑 因为 猫 老".split()),
    )
    alignment = ((1, 0), (2, 1), (3, 2), (4, 3), (6, 4))
    pair = Pair(english, chinese, alignment, ((4, 1),), "", "", ("en-zh", "zh-en"))
    assert antecedents_in(pair, "en-zh") == ((4, 1),) and antecedents_in(pair, "zh-en") == ()
    said = replace(pair, chinese=(*chinese[:3], "它", "老"))
    assert antecedents_in(said, "zh-en") == ((3, 0),)


def test_the_map_tape_changes_nothing(batch: Batch, tokenizer: Tokenizer) -> None:
    model = new_model(TAUGHT, len(tokenizer.vocabulary))
    silent = model(batch.source, batch.target_input, Tape(5))
    tape = MapTape(5)
    assert torch.equal(model(batch.source, batch.target_input, tape), silent)
    assert sorted(tape.maps) == [
        "decoder/0/cross_attention/weights",
        "decoder/0/self_attention/weights",
        "encoder/0/self_attention/weights",
    ]
    assert all(weights.requires_grad for weights in tape.maps.values())


def test_whole_heads_are_dropped() -> None:
    context = torch.ones(200, 4, 3, 2)  # (B, H, T, K)
    dropped = MapTape(1, head_dropout=0.25).record("encoder/0/self_attention/context", context)
    sums = dropped.sum(dim=(-1, -2))
    zero, full = (sums == 0), torch.isclose(sums, torch.tensor(6 / 0.75))
    assert bool((zero | full).all())
    assert 0.15 < zero.float().mean() < 0.35


def test_a_plain_recipe_listens_to_nothing(batch: Batch) -> None:
    plain = TrainingConfig()
    tape = training_tape(plain, 1, step=1)
    assert type(tape) is Tape and heads_loss(tape, batch, plain).item() == 0


def test_a_taught_head_learns_to_look(tokenizer: Tokenizer) -> None:
    trainer = Trainer.of_grammar(TAUGHT, load_grammar(), tokenizer)
    examples = Examples(tokenizer.vocabulary, places=True)
    batches = batches_from(0, trainer.stream, examples, 1, 96)
    fixed = next(b for b in batches if len(b.antecedents))

    def share() -> float:
        tape = MapTape(1)
        trainer.model.decode(fixed.source, fixed.target_input, tape)
        loss = look_loss(tape.maps[TAUGHT.alignment_sites[-1]], fixed.alignment, 0)
        return math.exp(-loss.item())

    before = share()
    for _ in range(40):
        trainer.update(fixed)
    assert share() > 2 * before
