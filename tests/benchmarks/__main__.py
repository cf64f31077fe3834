"""`python -m tests.benchmarks`, which `make bench` calls: one table a question.

Nothing is written unless `--output FILE` asks for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch
from rich.console import Console

from tests.benchmarks import (
    against,
    attention_page,
    audience,
    decoding,
    experiments,
    gpu,
    hall,
    libraries,
    present,
    recording,
    research,
    start,
    steering,
    switch_page,
    walkthrough_page,
    weights,
)
from tests.benchmarks.report import Table, heading

Question = Callable[[float], Iterator[Table]]

# Question, seconds for each of its measurements in a quick run. Always in this order: after
# `recording` the process keeps its freed memory, and cannot be told to give it back again.
QUESTIONS: dict[str, tuple[Question, float]] = {
    "recording": (recording.tables, 2),
    "decoding": (decoding.tables, 3),
    "experiments": (experiments.tables, 3),
    "libraries": (libraries.tables, 3),
    "steering": (steering.tables, 5),
    "research": (research.tables, 5),
    "weights": (weights.tables, 5),
    "page": (attention_page.tables, 3),
    "walk": (walkthrough_page.tables, 3),
    "switch": (switch_page.tables, 3),
    "present": (present.tables, 20),
    "start": (start.tables, 5),
    "hall": (hall.tables, 30),
    "audience": (audience.tables, 30),
    "gpu": (gpu.tables, 4),
}
FULL = 10  # how many times as long a full run measures


def main() -> None:
    """Measures, prints, and writes the markdown where asked."""
    asked, in_hall = _arguments()
    questions = {**QUESTIONS, "hall": (partial(hall.tables, asked=in_hall), QUESTIONS["hall"][1])}
    torch.set_num_threads(1)
    console = Console(width=None if Console().is_terminal else 140)
    console.print(heading(), style="dim", highlight=False)
    found = []
    if asked.questions == ["against"]:
        questions = {"against": (lambda _: against.tables(asked.ref), 0)}
    for name, (question, seconds) in questions.items():
        if asked.questions and name not in asked.questions:
            continue
        for table in question(seconds * (FULL if asked.full else 1)):
            table.show(console)
            found.append(table)
    if asked.output:
        parts = ["# Measurements", "", heading() + ".", "", *[each.markdown() for each in found]]
        asked.output.write_text("\n".join(parts), encoding="utf-8")


def _arguments() -> tuple[argparse.Namespace, hall.Asked]:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "questions",
        nargs="*",
        help=f"of {', '.join(QUESTIONS)}; all by default; or against alone: another commit",
    )
    parser.add_argument(
        "--ref", default="HEAD", metavar="COMMIT", help="what against compares with"
    )
    parser.add_argument("--full", action="store_true", help="more rounds: minutes, steadier")
    parser.add_argument("--output", type=Path, metavar="FILE", help="also write markdown there")
    hall.add_options(parser)
    asked = parser.parse_args()
    if unknown := asked.questions != ["against"] and set(asked.questions) - set(QUESTIONS):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(QUESTIONS)}")
    return asked, hall.asked_of(parser, asked)


main()
