"""What a run of one's own shall do, as a file in its folder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from core.errors import GlassformerError
from core.stored import UNREADABLE, problem_of, read_json_file
from core.training.recipe import Recipe
from core.workshop.lessons import SAMPLE
from core.workshop.own_words import SentencePair

PLAN = "plan.json"
BATCH = 64  # sentences: small steps, so that something is seen soon
PEAK_RATE = 64**-0.5 * 400**-0.5  # the paper's schedule at width 64, warm-up 400: 0.00625
SHARES = (0, 0.01, 0.02, 0.04, 0.06, 0.09, 0.12, 0.18, 0.25, 0.35, 0.5, 0.7, 0.85, 1)


@dataclass(frozen=True)
class Plan:
    """A recipe, and what to learn from: pairs of one's own, or families of the grammar."""

    name: str
    recipe: Recipe
    families: tuple[str, ...] = ()  # () for all
    pairs: tuple[SentencePair, ...] = field(default=(), repr=False)
    sample: int = SAMPLE  # sentences of the grammar that the vocabulary is drawn from

    @property
    def saved_steps(self) -> tuple[int, ...]:
        """The steps whose model is kept: many at the beginning, where most changes."""
        steps = self.recipe.steps
        return tuple(sorted({round(share * steps) for share in SHARES}))

    def save(self, folder: Path) -> None:
        """Writes plan.json."""
        table = {
            "name": self.name,
            "recipe": self.recipe.to_dict(),
            "families": self.families,
            "pairs": self.pairs,
            "sample": self.sample,
        }
        text = json.dumps(table, ensure_ascii=False)
        (folder / PLAN).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads plan.json; `GlassformerError("training", …)` where there is none."""
        try:
            table = read_json_file(folder / PLAN)
            return cls(
                table["name"],
                Recipe(**table["recipe"]),
                tuple(table["families"]),
                tuple((first, second) for first, second in table["pairs"]),
                table["sample"],
            )
        except UNREADABLE as error:
            raise GlassformerError("training", problem=f"{PLAN}: {problem_of(error)}") from error


def small_recipe(
    steps: int,
    seed: int = 1,
    rate: float = 1.0,
    dropout: float = 0.05,
    d_model: int = 32,
    n_heads: int = 4,
    layers: int = 1,
    d_ff: int = 64,
) -> Recipe:
    """A recipe for a short run of a small model.

    The warm-up is a tenth of the run, and the highest learning rate `PEAK_RATE` times `rate`,
    whatever the size of the model and the length of its run.
    """
    warmup = min(400, max(10, steps // 10))
    peak = d_model**-0.5 * warmup**-0.5
    return Recipe(
        steps=steps,
        seed=seed,
        batch_size=BATCH,
        warmup=warmup,
        learning_rate=rate * PEAK_RATE / peak,
        adam_rate=1.0,
        dropout=dropout,
        d_model=d_model,
        n_heads=n_heads,
        encoder_layers=layers,
        decoder_layers=layers,
        d_ff=d_ff,
        held_out=0,
    )
