"""What does an edit on the Switch page cost on the server, from the edit to the bytes sent?"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from glassformer.app.runs import traces
from glassformer.core.interventions import Experiment, concepts
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.interventions.masks import Painted
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import TensorPatch
from tests.benchmarks.report import Table, kilobytes, verdict
from tests.benchmarks.server import name_of, opened, rerun, text_of, watched
from tests.benchmarks.timing import Spread

GOALS = {16: 200, 64: 300}  # ms of the server
LIMIT = 256  # KiB a panel
FEWEST = 4  # edits of each kind
PLACE = "encoder/0/self_attention"
OTHER = "I like the old book because it is short"
# Name, group of the page, what is switched.
EDITS: tuple[tuple[str, str, Switch], ...] = (
    ("one painted cell", "masks", Painted(PLACE, (), ((3, 1, 1),))),
    ("a head off", "heads", HeadsOff(PLACE, (1,))),
    ("not divided by √d_k", "concepts", concepts.Unscaled()),
    ("no residual", "concepts", concepts.ResidualOff(PLACE)),
    ("norm before the sub-layer", "concepts", concepts.NormPlaceIs()),
    ("a patched vector", "tensors",
     TensorPatch("encoder/0/output", (("position", (1,)),), OTHER)),
)  # fmt: skip


def tables(seconds: float) -> Iterator[Table]:
    """Every kind of edit on and off again, for texts of so many tokens."""
    logging.disable(logging.WARNING)  # Streamlit misses a browser at every run
    table = Table(
        "Switch page, an edit: the server's part",
        ("edit, tokens", "CPU ms (quartiles)", "goal", "largest panel", "its size", "goal"),
    )
    for tokens, goal in GOALS.items():
        for name, group, switch in EDITS:
            row = _edited(text_of(tokens), group, switch, goal, seconds / len(EDITS))
            table.add(f"{name}, {tokens}", *row)
    table.notes += [
        "the switched sentence is translated anew and the whole page runs again; the plain run is "
        "known, as it is to a reader; CPU ms with the serialisation of every message"
    ]
    yield table


def _edited(
    text: str, group: str, switch: Switch, goal: float, seconds: float
) -> tuple[str, ...]:  # fmt: skip
    app, edits = opened("switch", text=text, switches=group), Experiment((switch,)).text
    spent: list[float] = []
    with watched() as run:
        rerun(app, run, edits=edits)  # loads what no edit needed before
        while len(spent) < FEWEST or sum(spent) < seconds:
            rerun(app, run, edits="")
            _forget_switched_runs(text)
            spent.append(rerun(app, run, edits=edits))
    times = Spread.of(1000 * each for each in spent)
    largest = max(run.messages, key=lambda message: message.ByteSize())
    return (
        f"{times.middle:.0f} ({times.low:.0f}–{times.high:.0f})",
        verdict(times.middle, goal),
        name_of(largest),
        kilobytes(largest.ByteSize()),
        verdict(largest.ByteSize() / 1024, LIMIT),
    )


def _forget_switched_runs(text: str) -> None:
    """Only the plain runs are known, those of the sentence and of the one patched from."""
    traces._traces.clear()
    for each in (text, OTHER):
        traces.get_trace(each)
