"""What makes attention heads clear, and what makes them matter: small runs, measured alike.

    .venv/bin/python scripts/explore_heads.py plain taught         train and measure these
    .venv/bin/python scripts/explore_heads.py --help               what there is

Each run leaves a model in runs/heads/<name> and its figures in docs/heads/figures.json.gz;
scripts/draw_heads.py makes the table and the picture of docs/heads.md from them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import torch
from torch import Tensor

from glassformer.core.corpus import Grammar, Pair, load_grammar
from glassformer.core.settings import keep_freed_memory
from glassformer.core.text_models.checkpoints import load_model, save_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.tape import Edit
from glassformer.core.training.data import corpus_tokenizer
from glassformer.core.training.evaluate import quick_metrics
from glassformer.core.training.evaluation.attention import (
    Part,
    antecedents,
    measure_sharpness,
    without_scale,
)
from glassformer.core.training.evaluation.held_out import coreference_readings, unseen_pairs
from glassformer.core.training.evaluation.interventions import mean_contexts, measure_redirects
from glassformer.core.training.evaluation.passes import best_tally, both_right, word_for_word
from glassformer.core.training.loop import Progress, Trainer
from glassformer.core.training.queue.lessons import narrow_grammar
from glassformer.core.training.training_config import TrainingConfig

FIGURES, MODELS = ROOT / "docs" / "heads" / "figures.json.gz", ROOT / "runs" / "heads"
HELD_OUT, READINGS, PROBED = 1500, 150, 300
SHORT = {  # of the first ten runs of the report
    "learning_rate": 2.0,
    "muon": False,
    "adam_rate": 1.0,
    "decay": 0.25,
    "label_smoothing": 0.1,
    "d_model": 64,
    "d_ff": 256,
    "weight_decay": 0.0,
    "logit_cap": 0.0,
}
TAUGHT = {"teach_alignment": 0.1, "teach_antecedent": 0.1}
DEEP = {"encoder_layers": 3, "decoder_layers": 1}
EVERY_HEAD = {"teach_alignment": 0.3, "alignment_head": None, "teach_antecedent": 0.1}
RUNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "taught": TAUGHT,
    "plain-3+1": DEEP,
    "taught-3+1": {**DEEP, **TAUGHT},
    "every-head": {**EVERY_HEAD, "alignment_layers": "all"},
    "every-head-3+1": {**DEEP, **EVERY_HEAD},
    "eight-heads": {"n_heads": 8},
    "pre-norm": {"norm_place": "pre"},
    "entropy": {"entropy_weight": 0.02},
    "dropout": {"dropout": 0.1},
    "head-dropout": {**TAUGHT, "head_dropout": 0.2},
}
# What keeps attention from saturating: the bundled recipe of the default model, changed. A small
# model on some families of the grammar does many steps in a few minutes.
SMALL = {"batch_size": 48, "d_model": 64, "d_ff": 256, "held_out": 500}
FAMILIES = ("coreference", "its", "yesno")
PARTS_OF_A_RUN = 4  # after each of which sharpness is measured
CURES: dict[str, dict[str, Any]] = {
    "no-cure": {"weight_decay": 0.0, "logit_cap": 0.0},
    "decay": {"logit_cap": 0.0},
    "cap-5": {"weight_decay": 0.0},
    "both-5": {},
    "both-4": {"logit_cap": 4.0},
    "cap-4": {"weight_decay": 0.0, "logit_cap": 4.0},
}


@dataclass(frozen=True)
class Cast:
    """Who plays in a sentence with a pronoun: positions in the source."""

    pronoun: int
    noun: int  # that it stands for
    other: int  # that it would stand for in the other reading
    decider: int  # the word in which the two readings differ


WHO = ("pronoun", "noun", "other", "decider")


def main() -> None:
    """Trains and measures the named runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", choices=[*RUNS, *CURES], metavar="run")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--whole", action="store_true", help="cures at full size, whole grammar")
    given = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    for name in given.runs:
        if name in CURES:
            _cure(name, given.steps, given.whole)
            continue
        recipe = TrainingConfig(**{**SHORT, **RUNS[name], "steps": given.steps})
        grammar = load_grammar()
        _train(MODELS / name, recipe, grammar)
        _write(name, recipe, measured(load_model(MODELS / name), grammar))


def _train(folder: Path, recipe: TrainingConfig, grammar: Grammar) -> None:
    trainer = Trainer.of_grammar(recipe, grammar)

    def report(progress: Progress) -> None:
        if progress.step % 100 == 0:
            loss = trainer.curve.points[-1].loss
            _say(f"{folder.name} {progress.step}/{progress.steps} loss {loss:.3f}")

    trainer.train(report)
    save_model(folder, trainer.model, trainer.tokenizer, {"training": recipe.to_dict()})


def _cure(name: str, steps: int, whole: bool) -> None:
    """A run of the default model's recipe, its sharpness measured on the way and at the end."""
    grammar = load_grammar() if whole else narrow_grammar(load_grammar(), FAMILIES)
    recipe = TrainingConfig(**{**({} if whole else SMALL), **TAUGHT, **CURES[name], "steps": steps})
    tokenizer = corpus_tokenizer(grammar) if whole else corpus_tokenizer(grammar, 20_000)
    trainer = Trainer.of_grammar(recipe, grammar, tokenizer)
    label, found = f"{name}-whole" if whole else name, dict[str, Any]()
    for part in range(1, PARTS_OF_A_RUN + 1):
        trainer.train(lambda _: None, steps * part // PARTS_OF_A_RUN)
        save_model(MODELS / label, trainer.model, trainer.tokenizer, {"taught": recipe.taught()})
        translator, pairs = load_model(MODELS / label), unseen_pairs(grammar, PROBED)
        changed = {part.name: each.rate for part, each in without_scale(translator, pairs).items()}
        found[str(trainer.step)] = {
            part.name: {**each.to_dict(), "unscaled_changes": changed[part.name]}
            for part, each in measure_sharpness(translator, pairs).items()
            if part.head is None
        }
        end = max(each["end"] for site, each in found[str(trainer.step)].items() if "enc" in site)
        worst = max(each["saturated"] for each in found[str(trainer.step)].values())
        _say(f"{label} {trainer.step}/{steps} saturated at most {worst:.3f}, <eos> {end:.3f}")
    held_out = quick_metrics(translator, grammar, 500, READINGS)
    _write(f"sharpness/{label}", recipe, {"held_out": held_out, "sharpness": found})


def measured(translator: Translator, grammar: Grammar) -> dict[str, Any]:
    """Pictures (where heads look) and causes (what the translation loses without them)."""
    readings = coreference_readings(grammar, READINGS)
    flat = [pair for both in readings for pair in both]
    looks = antecedents(translator, flat)
    clearest = best_tally(looks)
    _, flips = measure_redirects(translator, readings)
    probed = unseen_pairs(grammar, PROBED)
    return {
        "pieces": len(translator.tokenizer.vocabulary),
        "held_out": quick_metrics(translator, grammar, HELD_OUT, READINGS),
        "antecedent_by_head": {name: tally.rate for name, tally in looks.items()},
        "antecedent_head": clearest[0] if clearest else None,
        "without": dict(_knock_outs(translator, flat, probed)),
        "flips": {name: tally.rate for name, tally in flips.items()},
        "cut": dict(_cuts(translator, readings)),
    }


def _knock_outs(
    translator: Translator, flat: Sequence[Pair], probed: Sequence[Pair]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Both readings right without each encoder layer and head, zeroed and at its mean."""
    means = mean_contexts(translator, [*flat, *probed])
    for layer in range(translator.config.encoder_layers):
        for head in (None, *range(translator.config.n_heads)):
            part = Part(f"encoder/{layer}/self_attention", head)
            fillings = {"zeroed": None, "mean": means[part.address]}
            yield (
                part.name,
                {
                    way: _both_right(translator, flat, [part.edit(filling)])
                    for way, filling in fillings.items()
                },
            )


def _cuts(
    translator: Translator, readings: Sequence[tuple[Pair, Pair]]
) -> Iterator[tuple[str, float]]:
    """Both readings right when one word may not look at another, in all encoder heads."""
    flat = [pair for both in readings for pair in both]
    parts = {id(pair): cast for both in readings for pair, cast in _casts(both)}
    for row in WHO:
        for column in WHO:
            if row != column:
                yield f"{row} -> {column}", _cut(translator, flat, parts, (row,), (column,))
    nouns = ("noun", "other")
    yield "both nouns -> decider", _cut(translator, flat, parts, nouns, ("decider",))
    yield "decider -> both nouns", _cut(translator, flat, parts, ("decider",), nouns)
    yield "pronoun -> both nouns", _cut(translator, flat, parts, ("pronoun",), nouns)


def _casts(both: tuple[Pair, Pair]) -> Iterator[tuple[Pair, Cast]]:
    one, other = both
    words = zip(one.english, other.english, strict=True)
    decider = next(i for i, (a, b) in enumerate(words) if a != b)
    for pair, foil in ((one, other), (other, one)):
        pronoun, noun = pair.antecedents[0]
        yield pair, Cast(pronoun, noun, foil.antecedents[0][1], decider)


def _cut(
    translator: Translator,
    flat: Sequence[Pair],
    parts: dict[int, Cast],
    rows: Sequence[str],
    columns: Sequence[str],
) -> float:
    def edits(batch: Sequence[Pair]) -> list[Edit]:
        def change(weights: Tensor) -> Tensor:  # (B, H, S, S)
            for index, pair in enumerate(batch):
                for row in rows:
                    for column in columns:
                        place = getattr(parts[id(pair)], row), getattr(parts[id(pair)], column)
                        weights[index, :, place[0], place[1]] = 0.0
            return weights

        return [Edit("encoder/*/self_attention/weights", change)]

    return both_right(word_for_word(translator, flat, "en-zh", edits)).rate


def _both_right(translator: Translator, flat: Sequence[Pair], edits: list[Edit]) -> float:
    return both_right(word_for_word(translator, flat, "en-zh", lambda _: edits)).rate


def _write(name: str, recipe: TrainingConfig, found: dict[str, Any]) -> None:
    rounded = json.loads(json.dumps(found), parse_float=lambda number: round(float(number), 4))
    figures = json.loads(gzip.decompress(FIGURES.read_bytes())) if FIGURES.exists() else {}
    figures[name] = {"recipe": recipe.to_dict(), **rounded}
    text = json.dumps(dict(sorted(figures.items())), indent=1) + "\n"
    FIGURES.write_bytes(gzip.compress(text.encode(), mtime=0))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
