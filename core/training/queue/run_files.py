"""The files of a run's folder: plan.json, what it shall do, and the log of how far it is.

The log has one JSON object a line, written by the run's own process and read by the app's:

    {"what": "phase", "phase": "words"}        "words", "training", "measuring"
    {"what": "facts", "vocabulary": …, "parameters": …, "pairs": …, "held_out": …}
    {"what": "resumed", "step": 120}           what was written of later steps is void
    {"what": "beat", "step", "loss", "rate", "training", "saving", "saves"}
    {"what": "point", "step", "loss", "rate"}  of the live curve
    {"what": "saved", "step", "metrics"}       the model of that step can be loaded
    {"what": "end", "how": "done" | "stopped" | "failed", "step", "reason", "cpu"}  cpu in seconds
"""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.history import CurvePoint, SnapshotMetrics
from glassformer.core.training.queue.lessons import SAMPLE, SentencePair
from glassformer.core.training.training_config import TrainingConfig
from glassformer.core.untrusted import UNREADABLE, problem_of, read_json_file

PLAN = "plan.json"
BATCH = 64  # sentences: small steps, so that something is seen soon
PEAK_RATE = 64**-0.5 * 400**-0.5  # the paper's schedule at width 64, warm-up 400: 0.00625
SHARES = (0, 0.01, 0.02, 0.04, 0.06, 0.09, 0.12, 0.18, 0.25, 0.35, 0.5, 0.7, 0.85, 1)
LOG = "log.jsonl"
WINDOW = 30.0  # seconds of training that the speed is the mean of


@dataclass(frozen=True)
class Plan:
    """A recipe, and what to learn from: pairs of one's own, or families of the grammar."""

    name: str
    recipe: TrainingConfig
    families: tuple[str, ...] = ()  # () for all
    pairs: tuple[SentencePair, ...] = field(default=(), repr=False)
    sample: int = SAMPLE  # sentences of the grammar that the vocabulary is drawn from

    @property
    def saved_steps(self) -> tuple[int, ...]:
        """The steps whose model is kept: many at the beginning, where most changes."""
        steps = self.recipe.steps
        return tuple(sorted({round(share * steps) for share in SHARES}))

    def save(self, folder: Path) -> None:
        """Writes plan.json.

        Args:
            folder: of the run; it is there.

        Raises:
            OSError: the file cannot be written.
        """
        text = json.dumps({**vars(self), "recipe": self.recipe.to_dict()}, ensure_ascii=False)
        (folder / PLAN).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads plan.json.

        Args:
            folder: of the run.

        Returns:
            The plan.

        Raises:
            GlassformerError: `training`, where there is none, or none that can be read.
        """
        try:
            table = read_json_file(folder / PLAN)
            return cls(
                table["name"],
                TrainingConfig(**table["recipe"]),
                tuple(table["families"]),
                tuple((first, second) for first, second in table["pairs"]),
                table["sample"],
            )
        except UNREADABLE as error:
            raise GlassformerError("training", problem=f"{PLAN}: {problem_of(error)}") from error


def peak_of(d_model: int, warmup: int) -> float:
    """The highest rate of the paper's schedule (§5.3), before the recipe's factor.

    Args:
        d_model: D.
        warmup: steps until the rate is highest.

    Returns:
        (D · warmup)^−½.
    """
    found: float = d_model**-0.5 * warmup**-0.5
    return found


def small_recipe(
    steps: int,
    seed: int = 1,
    rate: float = 1.0,
    dropout: float = 0.05,
    d_model: int = 32,
    n_heads: int = 4,
    layers: int = 1,
    d_ff: int = 64,
) -> TrainingConfig:
    """A recipe for a short run of a small model.

    The warm-up is a tenth of the run, and the highest learning rate `PEAK_RATE` times `rate`,
    whatever the size of the model and the length of its run.

    Args:
        steps: of the run; the warm-up has 10 to 400 of them.
        seed: of weights, batches and dropout.
        rate: the highest learning rate, in times of `PEAK_RATE`.
        dropout: the share of units that is dropped.
        d_model: D.
        n_heads: H.
        layers: of the encoder, and as many of the decoder.
        d_ff: hidden units of the feed-forward networks.

    Returns:
        The recipe.

    Raises:
        GlassformerError: `training`, for less than one step.
    """
    warmup = min(400, max(10, steps // 10))
    peak = peak_of(d_model, warmup)
    return TrainingConfig(
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


@dataclass(frozen=True)
class Beat:
    """Where a run is; `training` and `saving` are seconds spent since it (re)started."""

    step: int
    loss: float
    rate: float
    training: float
    saving: float
    saves: int


@dataclass
class RunLog:
    """What a log says so far; `read` takes in what was written since."""

    path: Path
    phase: str = ""
    facts: dict[str, int] = field(default_factory=dict)
    beats: list[Beat] = field(default_factory=list)
    curve: list[CurvePoint] = field(default_factory=list)
    saved: list[SnapshotMetrics] = field(default_factory=list)
    end: str = ""  # "done", "stopped" or "failed"; "" while it runs
    reason: str = ""
    _offset: int = 0

    @property
    def step(self) -> int:
        """Steps done."""
        known = (self.beats[-1].step if self.beats else 0, self.saved[-1].step if self.saved else 0)
        return max(known)

    @property
    def loss(self) -> float | None:
        """Of the latest steps, nats a word; None before the first."""
        return self.curve[-1].loss if self.curve else None

    @property
    def speed(self) -> float | None:
        """Steps a second of training, over the last half minute of it; None before it is known."""
        if len(self.beats) < 2:
            return None
        last = self.beats[-1]
        first = next(b for b in self.beats if last.training - b.training <= WINDOW)
        seconds = last.training - first.training
        return (last.step - first.step) / seconds if seconds > 0 else None

    def seconds_left(self, steps: int, saves: int) -> float | None:
        """Until step `steps`, with `saves` more snapshots, at the speed measured so far.

        Args:
            steps: the last step of the run.
            saves: snapshots still to come.

        Returns:
            Seconds; None before there is a speed.
        """
        if self.speed is None or not self.speed:
            return None
        last = self.beats[-1]
        each = last.saving / last.saves if last.saves else 0.0
        return (steps - last.step) / self.speed + saves * each

    def read(self) -> None:
        """Takes in the whole lines that were added since the last call."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                added = file.read()
        except FileNotFoundError:
            return
        whole = added[: added.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            with suppress(ValueError):  # a line that a full disk has cut
                self._take(json.loads(line))

    def begin_again(self) -> None:
        """The run goes on: what the log said of its end is past."""
        self.read()
        self.end, self.reason, self.phase = "", "", ""
        self.beats = []

    def _take(self, entry: dict[str, Any]) -> None:
        what = entry.pop("what")
        if what == "phase":
            self.phase = entry["phase"]
        elif what == "facts":
            self.facts = entry
        elif what == "beat":
            beat = Beat(**entry)
            self.beats = [b for b in self.beats if beat.training - b.training <= 2 * WINDOW]
            self.beats.append(beat)
        elif what == "point":
            self.curve.append(CurvePoint(**entry))
        elif what == "saved":
            self.saved = [s for s in self.saved if s.step != entry["step"]]
            self.saved.append(SnapshotMetrics(entry["step"], entry["metrics"]))
        elif what == "resumed":
            self._forget_after(entry["step"])
        elif what == "end":
            self.end, self.reason = entry["how"], entry.get("reason", "")

    def _forget_after(self, step: int) -> None:
        self.curve = [point for point in self.curve if point.step <= step]
        self.saved = [each for each in self.saved if each.step <= step]
        self.beats = []
