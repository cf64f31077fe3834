"""Parts of the model, heads and cells in words: "encoder layer 1", "heads 2, 3 of …".

Everything counts from 1 here, as on screen; paths and fields of switches count from 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from app.figures.labels import visible
from app.words import say
from core.edits.slices import At
from core.trace.sites import AxisName

MOST_NAMED = 6  # numbers that a list names one by one
PATTERN = re.compile(r"(?:(encoder|decoder|\*)/)?(?:(\d{1,4}|\*)/)?([a-z_*]+)")
SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")
AXES = get_args(AxisName)
TENSORS = (
    "ids", "embedding", "scaled", "positions", "kept", "input", "stream", "branch_input",
    "summed", "mean", "std", "normalized", "output", "memory", "q", "k", "v", "scores", "mask",
    "masked", "weights", "context", "concat", "pre_activation", "activation", "logits",
    "probabilities",
)  # fmt: skip
ENDS = {"source": "source", "target": "target", "output": "", "": ""}


@dataclass(frozen=True)
class Speaker:
    """Says parts in one language; None: that of the session.

    words: those of the run on screen, "source" and "target", to name positions by.
    """

    language: str | None = None
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def numbers(self, indices: Sequence[int]) -> str:
        """Indices from 0 as "1, 2, 5–9": counted from 1, runs of three or more joined."""
        runs: list[list[int]] = []
        for index in sorted(indices):
            if runs and runs[-1][-1] == index - 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        pieces = [piece for run in runs for piece in _written(run)]
        if len(pieces) > MOST_NAMED:
            pieces = [*pieces[: MOST_NAMED - 1], "…"]
        return say("edits.comma", self.language).join(pieces)

    def position(self, indices: Sequence[int], side: str) -> str:
        """`numbers`, a single one with its word: "6 “street”"."""
        words, numbers = self.words.get(side, ()), self.numbers(indices)
        if len(indices) != 1 or not 0 <= indices[0] < len(words):
            return numbers
        word = visible(words[indices[0]])
        return say("edits.position_word", self.language, number=numbers, word=word)

    def place(self, where: str, parts: str = "sublayer") -> str:
        """What a path or a pattern names: "encoder layer 1 feed-forward", "every sub-layer".

        parts: what a `*` at its end stands for: "sublayer", "attention" or "norm".
        """
        match = PATTERN.fullmatch(where)
        if match is None:
            return say("edits.matching", self.language, pattern=where)
        stack, layer, name = match[1] or "*", match[2] or "*", match[3]
        kind = name.lstrip("*").lstrip("_")
        if name == "norm" and layer == "*":
            side = "both" if stack == "*" else stack
            return say(f"edits.final_norm_{side}", self.language)
        if parts == "attention" and stack == "encoder" and layer != "*":
            kind = "self_attention" if name == "*" else kind  # the only one there
        part = self._part(kind, parts)
        if part is None:
            return say("edits.matching", self.language, pattern=where)
        if layer == "*":
            return self._everywhere(stack, part)
        at = self._layer(stack, int(layer))
        if kind in ("", "attention", "norm"):
            return say("edits.every_at", self.language, place=at, part=part)
        if parts == "attention" and stack == "encoder" and kind == "self_attention":
            return at
        return say("edits.part_at", self.language, place=at, part=part)

    def heads(self, where: str, heads: Sequence[int]) -> str:
        """Heads as "heads 2, 3 of encoder layer 1"; () is all of them."""
        place = self.place(where, "attention")
        if not heads:
            if where == "*":
                return say("edits.all_heads", self.language)
            return say("edits.all_heads_at", self.language, place=place)
        key = "one_head_at" if len(set(heads)) == 1 else "some_heads_at"
        return say(f"edits.{key}", self.language, place=place, heads=self.numbers(heads))

    def attention(self, where: str, heads: Sequence[int]) -> str:
        """The heads, or just the attention where all of its heads are meant."""
        return self.heads(where, heads) if heads else self.place(where, "attention")

    def cells(self, address: str, at: At) -> str:
        """A tensor, or some of its cells: "weights of encoder layer 1 self-attention (head 2)"."""
        named = self.tensor(address)
        if not at:
            return named
        axes = [
            say("edits.axis", self.language, axis=self._axis(axis), numbers=self.numbers(indices))
            for axis, indices in at
        ]
        picked = say("edits.semicolon", self.language).join(axes)
        return say("edits.cells", self.language, tensor=named, axes=picked)

    def tensor(self, address: str) -> str:
        """What is recorded at an address or a pattern: "output of every feed-forward"."""
        owner, _, name = address.rpartition("/")
        if name not in TENSORS:
            return say("edits.matching", self.language, pattern=address)
        tensor = say(f"edits.tensor_{name}", self.language)
        if owner in ENDS:
            if not ENDS[owner]:
                return tensor
            return say("edits.tensor_at", self.language, tensor=tensor, place=self._end(owner))
        around = owner.removesuffix("_residual")
        place = self.place(around, "sublayer")
        if owner != around:
            place = say("edits.residual_of", self.language, place=place)
        return say("edits.tensor_at", self.language, tensor=tensor, place=place)

    def _axis(self, axis: str) -> str:
        return say(f"axes.{axis}", self.language) if axis in AXES else axis

    def _end(self, owner: str) -> str:
        return say(f"edits.end_{owner}", self.language)

    def _part(self, name: str, parts: str) -> str | None:
        if name in ("", parts):
            return say(f"edits.part_{parts}", self.language)
        if name in ("attention", "norm", *SUBLAYERS):
            return say(f"edits.part_{name}", self.language)
        if name.endswith("_norm") and name.removesuffix("_norm") in SUBLAYERS:
            around = say(f"edits.part_{name.removesuffix('_norm')}", self.language)
            return say("edits.norm_of", self.language, part=around)
        return None

    def _everywhere(self, stack: str, part: str) -> str:
        if stack == "*":
            return say("edits.every", self.language, part=part)
        return say(f"edits.every_{stack}", self.language, part=part)

    def _layer(self, stack: str, layer: int) -> str:
        side = "both" if stack == "*" else stack
        return say(f"edits.layer_{side}", self.language, layer=layer + 1)


def sides(where: str) -> tuple[str, str]:
    """Which words stand at the rows and at the columns of an attention; "" where both may."""
    if where.endswith("cross_attention"):
        return "target", "source"
    side = {"encoder": "source", "decoder": "target"}.get(where.partition("/")[0], "")
    return (side, side) if where.endswith("self_attention") else ("", "")


def _written(run: list[int]) -> list[str]:
    """A run of neighbours: "3–6", or each number."""
    if len(run) > 2:
        return [f"{run[0] + 1}–{run[-1] + 1}"]
    return [str(index + 1) for index in run]
