"""Which step made a tensor: where a symbol, a variable of the code or a wire leads back to."""

from __future__ import annotations

from collections.abc import Sequence

from core.walk.steps import Step, step_of
from core.walk.wires import Wire


def maker_of(steps: Sequence[Step], wire: Wire) -> Step | None:
    """The step that puts a wire out; None for what no step makes, such as the ids.

    What a layer only passes on (the stream, what enters a sub-layer, the memory that it reads) is
    not a step's own: the step before it made the numbers.
    """
    for step in steps:
        if wire in step.outputs:
            return step
    where, _, name = wire.address.rpartition("/")
    if name == "memory":
        return next((step for step in steps if step.kind == "memory"), None)
    if where.endswith("_residual") and name in ("stream", "branch_input"):
        return _before(steps, where.removesuffix("_residual"))
    found = step_of(steps, wire.address)
    return None if found is None or wire in found.inputs else found


def _before(steps: Sequence[Step], sublayer: str) -> Step | None:
    """The step before a sub-layer's first; its parts are "encoder/0/self_attention"."""
    first = f"{sublayer.replace('/', '.')}."
    for before, step in zip((None, *steps), steps, strict=False):
        if step.id.startswith(first):
            return before
    return None
