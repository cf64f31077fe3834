"""The address of a recorded tensor as a value: `decoder/1/cross_attention_norm/std`, parsed once.

Everywhere else addresses are plain strings, in links, in files and in `trace[…]`. Counting starts
from 0. Without its last part an address is that of a place in the model.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

AttentionKind = Literal["encoder", "decoder", "cross"]
Side = Literal["source", "target"]

ATTENTIONS = ("self_attention", "cross_attention")
SUBLAYERS = (*ATTENTIONS, "feed_forward")
STACKS = ("encoder", "decoder")
LAYER = re.compile(r"\d{1,4}|\*", re.ASCII)
ENDS = ("source", "target", "output")  # what stands before and after the two stacks


@dataclass(frozen=True)
class Address:
    """One address, in its four parts; a part that it does not have is "" (the layer: None).

    `stack` is encoder, decoder, source, target or output, "" for the `memory` between the stacks;
    `part` a sub-layer, its `…_residual` or `…_norm`, or the `norm` before or after a stack.
    """

    text: str
    stack: str
    layer: int | None = None
    part: str = ""
    name: str = ""

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(text: str) -> "Address":
        """The address that a text is; one that no run has parses too, and so does a pattern.

        Args:
            text: the path of a tensor or of a place, such as `decoder/1/cross_attention_norm/std`;
                "*" may stand for the layer.

        Returns:
            The address in its parts; the layer is None where the text has none or "*".
        """
        stack, *rest = text.split("/")
        if not rest and stack not in (*ENDS, *STACKS):
            return Address(text, "", name=stack)
        counted = rest.pop(0) if rest and LAYER.fullmatch(rest[0]) else "*"
        part = rest.pop(0) if len(rest) > (stack not in STACKS) else ""
        layer = None if counted == "*" else int(counted)
        return Address(text, stack, layer, part, "/".join(rest))

    @property
    def place(self) -> str:
        """All but the name, `decoder/1/cross_attention_norm`; "" for the memory."""
        return self.text.removesuffix(self.name).removesuffix("/") if self.name else self.text

    @property
    def branches(self) -> tuple[str, ...]:
        """The path that leads here: `decoder`, `decoder/1`, `decoder/1/cross_attention_norm`."""
        steps = self.text.split("/")
        return tuple("/".join(steps[:length]) for length in range(1, len(steps)))

    @property
    def last(self) -> str:
        """The last step of the path, whatever it is."""
        return self.text.rpartition("/")[2]

    def sibling(self, name: str) -> str:
        """What else is recorded at the same place.

        Args:
            name: the site there, such as `weights`.

        Returns:
            Its address as a text.
        """
        return f"{self.place}/{name}".lstrip("/")

    @property
    def group(self) -> str:
        """Which of the groups of `sites.py` is recorded here; "" where no run records."""
        if not self.part:
            ends = {"": "stack", "source": "embedding", "target": "embedding", "output": "output"}
            return ends.get(self.stack, "")
        if self.part == self.sublayer:
            return "attention" if self.is_attention else self.part
        return self.part.rpartition("_")[2]

    @property
    def sublayer(self) -> str:
        """The sub-layer that a part is of, also of a norm or residual; "" outside of layers."""
        return self.part.removesuffix("_residual").removesuffix("_norm").removesuffix("norm")

    @property
    def sublayer_place(self) -> str:
        """`decoder/1/cross_attention`, also for its norm and its residual."""
        return f"{self.stack}/{self.layer}/{self.sublayer}"

    @property
    def is_attention(self) -> bool:
        return self.part in ATTENTIONS

    @property
    def is_cross(self) -> bool:
        """Whether it belongs to the attention of the decoder to the encoder's memory (§3.2.3)."""
        return self.sublayer == "cross_attention"

    @property
    def is_causal(self) -> bool:
        """Whether the attention hides what comes later: the self-attention of the decoder."""
        return self.stack == "decoder" and self.sublayer == "self_attention"

    @property
    def kind(self) -> AttentionKind:
        """Which of the paper's three attentions its sub-layer is, if it is one."""
        if self.stack == "encoder":
            return "encoder"
        return "cross" if self.is_cross else "decoder"

    @property
    def side(self) -> Side:
        """Whose words its rows are."""
        first = self.name == "memory" or self.stack in ("source", "encoder", "")
        return "source" if first else "target"

    @property
    def key_side(self) -> Side:
        """Whose words the keys of its attention are."""
        return "source" if self.stack == "encoder" or self.is_cross else "target"

    @property
    def module(self) -> str:
        """The name of the module that computes here, as in `named_parameters`."""
        if self.stack in ENDS:
            end = "generator" if self.stack == "output" else f"{self.stack}_embedding"
            norm = "transform.norm" if self.stack == "output" else "norm"
            return f"{end}.{norm}" if self.part else end
        if self.layer is None:
            return f"{self.stack}.{self.part}"
        part = f"{self.sublayer}_residual.norm" if self.group == "norm" else self.part
        return f"{self.stack}.layers.{self.layer}.{part}"
