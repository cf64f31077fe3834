"""How addresses, shapes, sizes and code are written on the tensors page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.figures.labels import format_number
from app.state import State
from app.words import say
from core.reading.measure import Measure
from core.reading.sheets import Plan
from core.trace.sites import Axis
from core.trace.trace import Trace


def format_bytes(size: int) -> str:
    """A number of bytes with three digits: "624 B", "2.4 kB", "1.31 MB"."""
    if size < 1000:
        return f"{size} B"
    for unit in ("kB", "MB"):
        size_in_unit = size / (1e3 if unit == "kB" else 1e6)
        if size_in_unit < 999.5:
            return f"{size_in_unit:.3g} {unit}"
    return f"{size / 1e9:.3g} GB"


def places(addresses: Sequence[str]) -> dict[str, str]:
    """Every branch of the tree in words: "encoder/0" -> "Layer 1"."""
    branches = dict.fromkeys(branch for address in addresses for branch in _branches(address))
    return {branch: branch_name(branch) for branch in branches}


def place(address: str) -> str:
    """Where a tensor is recorded: "Encoder › Layer 1 › Self-attention"; "" at the top."""
    return " › ".join(branch_name(branch) for branch in _branches(address))


def _branches(address: str) -> Iterator[str]:
    parts = address.split("/")
    for length in range(1, len(parts)):
        yield "/".join(parts[:length])


def branch_name(branch: str) -> str:
    """The last part of a path in words; a layer counts from 1."""
    last = branch.rpartition("/")[2]
    if last.isdecimal():
        return say("tensors.layer", layer=int(last) + 1)
    return say(f"tensors.place_{last}")


def axis_name(axis: Axis) -> str:
    """An axis in a word."""
    return say(f"axes.{axis.name}")


def named_shape(axes: Sequence[Axis]) -> str:
    """A shape with its axes in words: "head 4 × query 12 × key 12"."""
    return " × ".join(f"{axis_name(axis)} {axis.size}" for axis in axes)


def short_shape(shape: Sequence[int]) -> str:
    """A shape for a narrow place: "1×4×12×12"."""
    return "×".join(map(str, shape))


def numbers_line(measured: Measure, digits: int) -> str:
    """The extremes, the mean and the deviation in a line."""
    least, most, mean, std = (
        format_number(value, digits)
        for value in (measured.least, measured.most, measured.mean, measured.std)
    )
    return say("tensors.numbers", least=least, most=most, mean=mean, std=std)


def snippet(trace: Trace, address: str, chosen: Plan, now: State) -> str:
    """Python that gives the numbers on screen."""
    model = f"load_model({now.model!r})" if now.model else "load_model()"
    direction = "" if now.direction == "auto" else f", direction={now.direction!r}"
    return "\n".join(
        (
            "from core import load_model",
            f"trace = {model}.trace({trace.source_text!r}{direction})",
            f'trace["{address}"]{_index(trace, address, chosen)}',
        )
    )


def _index(trace: Trace, address: str, chosen: Plan) -> str:
    pins = chosen.pins
    drawn = {chosen.rows.name, chosen.columns.name if chosen.columns else ""}
    parts = [
        ":" if axis.name in drawn else str(pins.get(axis.name, 0)) for axis in trace.axes(address)
    ]
    while parts and parts[-1] == ":":
        parts.pop()
    turned = chosen.columns is not None and _is_turned(trace, address, chosen)
    return (f"[{', '.join(parts)}]" if parts else "") + (".T" if turned else "")


def _is_turned(trace: Trace, address: str, chosen: Plan) -> bool:
    names = [axis.name for axis in trace.axes(address)]
    return chosen.columns is not None and names.index(chosen.rows.name) > names.index(
        chosen.columns.name
    )
