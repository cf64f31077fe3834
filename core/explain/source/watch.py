"""Watching the model's own code run: which functions, which lines, which shapes.

A small model of the same conventions is run once, and Python says which lines it goes through. Its
sizes are all different, so that every shape reads as letters of the paper, (2, 6, 7, 4) as B, H, S,
K. So a marked line is one that does run in these conventions, and a shape is one that is there.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.decoding import step as decoding_step
from glassformer.core.model import stack
from glassformer.core.trace.tape import Recorder

ROOT = Path(__file__).parents[3]  # as it stands in the names of the code's files
_WATCHED = tuple(str(ROOT / "core" / folder) for folder in ("model", "decoding"))
Sizes = tuple[int, ...]


@dataclass(eq=False)
class Call:
    """One call of a function. `events` are the lines as they ran, with the tensors known before.

    `line` is where the caller stood; `recorded` are the addresses that were recorded until it
    returned, by itself or by what it called.
    """

    code: CodeType
    module: str
    caller: "Call | None"
    line: int
    owner: object = None
    events: list[tuple[int, dict[str, Sizes]]] = field(default_factory=list)
    known: dict[str, Sizes] = field(default_factory=dict)  # when it returned
    result: Sizes | None = None
    recorded: list[str] = field(default_factory=list)
    called: "list[Call]" = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.code.co_qualname

    def below(self) -> "Iterator[Call]":
        """Every call made on its behalf, in the order in which they began.

        Yields:
            The calls, those made by the calls below it too.
        """
        for call in self.called:
            yield call
            yield from call.below()

    def ran(self, first: int, last: int) -> bool:
        """Whether one of these lines ran.

        Args:
            first: the first line, counted from 1 in the file.
            last: the last line; it counts, too.

        Returns:
            True where the call went through at least one of them.
        """
        return any(first <= line <= last for line, _ in self.events)

    def around(self, first: int, last: int) -> tuple[dict[str, Sizes], dict[str, Sizes]]:
        """The tensors known when these lines began for the last time, and when they had run.

        Args:
            first: the first line, counted from 1 in the file.
            last: the last line; it counts, too.

        Returns:
            The shapes before and after, by the tensors' names; both empty where no line ran.
        """
        inside = [first <= line <= last for line, _ in self.events]
        if not any(inside):
            return {}, {}
        end = len(inside) - inside[::-1].index(True)
        start = next(at for at in range(end, 0, -1) if at == 1 or not inside[at - 2]) - 1
        after = self.events[end][1] if end < len(self.events) else self.known
        return self.events[start][1], after


# Of the small model. D is H times K, half of it sines, half cosines; M is max_length.
SIZES = {
    "B": 2, "G": 3, "K": 4, "F": 5, "H": 6, "S": 7, "T": 11, "D/2": 12, "V": 13, "M": 17, "D": 24,
}  # fmt: skip
LETTERS = {1: "1", **{size: letter for letter, size in SIZES.items()}, 16: "K", 8: "K/2", 96: "HK"}


@lru_cache(maxsize=16)
def model_run(config: ModelConfig, drops: bool = False) -> tuple[Call, ...]:
    """Every call in a run of a small model of these conventions, in the order they began.

    The random numbers of torch are as before afterwards.

    Args:
        config: of the model; its sizes are replaced by `SIZES`.
        drops: whether the run has dropout.

    Returns:
        The calls of the functions in core/model and core/decoding.
    """
    small = replace(
        config, vocabulary_size=SIZES["V"], d_model=SIZES["D"], n_heads=SIZES["H"],
        encoder_heads=0, d_ff=SIZES["F"], encoder_d_ff=0, max_length=SIZES["M"], pad_id=0,
        source_vocabulary_size=0, head_width=16 * (config.inner_width != config.d_model),
        kv_heads=SIZES["G"] * (config.key_heads != config.n_heads),
    )  # fmt: skip
    watcher = _Watcher()
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        model = stack.model_of(small)
        ids = [torch.ones(SIZES["B"], SIZES[side], dtype=torch.long) for side in ("S", "T")]
        tape = _WatchedTape(watcher, drops)
        watcher.watch(lambda: model(*ids, tape))
    return tuple(watcher.calls)


@lru_cache(maxsize=1)
def choice_run() -> tuple[Call, ...]:
    """Every call in the choice of a word from its logits (V,).

    Returns:
        The calls of the functions in core/model and core/decoding, in the order they began.
    """
    watcher, logits = _Watcher(), torch.zeros(SIZES["V"])
    watcher.watch(lambda: decoding_step.step_from(logits, keep=1))
    return tuple(watcher.calls)


class _Watcher:
    """Follows the calls of the watched folders in this thread, and only while `watch` runs."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.stack: list[Call] = []

    def watch(self, run: Callable[[], object]) -> None:
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            run()
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, _: str, __: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(_WATCHED):
            return None
        caller = self.stack[-1] if self.stack else None
        line = caller.events[-1][0] if caller and caller.events else 0
        owner = frame.f_locals.get("self")
        call = Call(code, frame.f_globals["__name__"], caller, line, owner)
        if caller:
            caller.called.append(call)
        self.calls.append(call)
        self.stack.append(call)
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, value: Any) -> Any:
        call = self.stack[-1]
        if event == "line":
            call.events.append((frame.f_lineno, _shapes(frame)))
        elif event == "return":
            call.known = _shapes(frame)
            call.result = tuple(value.shape) if isinstance(value, Tensor) else None
            self.stack.pop()
        return self._stepped


class _WatchedTape(Recorder):
    """Notes for every call under way what is recorded; the model is tiny, so it may keep it."""

    def __init__(self, watcher: _Watcher, drops: bool) -> None:
        super().__init__(dropout_seed=0 if drops else None)
        self._watcher = watcher

    def record(self, address: str, value: Tensor) -> Tensor:
        for call in self._watcher.stack:
            call.recorded.append(address)
        return super().record(address, value)


def _shapes(frame: FrameType) -> dict[str, Sizes]:
    return {
        name: tuple(value.shape)
        for name, value in frame.f_locals.items()
        if isinstance(value, Tensor)
    }


def weight_shape(owner: object, name: str) -> tuple[str, Sizes] | None:
    """The parameter behind `self.<name>`, with its name and shape; None where there is none.

    Args:
        owner: the module, or whatever `self` is.
        name: of the attribute: a linear map, an embedding or a tensor.

    Returns:
        The name, with `.weight` for a linear map or an embedding, and its shape; or None.
    """
    found = getattr(owner, name, None)
    if isinstance(found, nn.Linear | nn.Embedding):
        return f"{name}.weight", tuple(found.weight.shape)
    return (name, tuple(found.shape)) if isinstance(found, Tensor) else None
