"""The stations of the movement: what each is called, its formula in numbers, its sentence."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from app.plots.labels import MINUS, format_number
from app.plots.theme import FigureStyle
from app.session.state import MOTION
from app.words import say
from core.analysis.attention_row import AttentionRow
from core.config import ModelConfig

FILLS = {"large_negative": "−10⁹", "minus_infinity": "−∞", "additive": "−∞"}
KEYS = 13  # that have a box of their own, at 100 %
WRITTEN_OUT = 3  # terms of a sum
LEAST, SMALL = 0.0005, 0.1  # in a box, what is smaller is "≈ 0", or has three decimals
MARK = re.compile(r"([_^])\{([^}]*)\}")
Run = tuple[str, str, str]  # text, the role whose colour it has, "sub" or "sup"


@dataclass(frozen=True)
class Story:
    """One row, its word, the key whose number every formula follows, and how to write."""

    row: AttentionRow
    words: tuple[str, str]  # query and key
    key: int
    config: ModelConfig
    look: FigureStyle

    def number(self, value: float) -> str:
        """A number for a formula: as the reader wants it."""
        return self.look.number(value)

    def short(self, value: float) -> str:
        """A number for a box: of few digits."""
        if 0 < abs(value) < LEAST:
            return "≈ 0"
        if 0 < abs(value) < SMALL:
            return f"{value:.3f}".replace("-", MINUS)
        return format_number(float(value), min(self.look.precision, 4))

    def stations(self) -> list[dict[str, Any]]:
        """What the browser says at each station."""
        return [
            {
                "name": name,
                "title": say(f"motion.title_{name}"),
                "formula": list(getattr(self, f"_{name}")()),
                "says": self._says(name),
                "note": self._note(name),
            }
            for name in MOTION
        ]

    def _says(self, name: str) -> str:
        row, config = self.row, self.config
        if name == "masked" and row.allowed.all():
            return say("motion.says_open", word=self.words[0])
        said = say(
            f"motion.says_{name}", word=self.words[0], key=self.words[1], head=row.head + 1,
            heads=config.n_heads, d_k=config.d_k, d_model=config.d_model, feature=row.feature + 1,
            root=self.number(math.sqrt(config.d_k)), share=self.number(row.weights[self.key]),
            count=len(row.weights),
        )  # fmt: skip
        drawn = len(self.drawn)
        if name == "scores" and drawn < len(row.weights):
            said = say("language.gap").join((said, say("motion.says_others", shown=drawn)))
        return said

    @cached_property
    def drawn(self) -> list[int]:
        """The keys that have a box of their own."""
        return self.row.telling(max(6, KEYS * 100 // self.look.size), [self.key])

    def _note(self, name: str) -> str:
        """What a switch, or dropout, makes other than the sentence says."""
        row, changed = self.row, self.row.changed
        if name == "scaled" and row.unscaled:
            return say("motion.note_unscaled")
        if {"sum": "scores"}.get(name, name) in changed:
            return say("motion.note_changed")
        return say("motion.note_dropped") if name == "weighted" and row.dropped else ""

    def _joined(self) -> Iterator[Run]:
        yield f"q[{self.words[0]}]", "query", ""
        yield from _set(" = x · W_{Q}" + (" + b_{Q}" if self.config.attention_bias else ""))

    def _split(self) -> Iterator[Run]:
        config = self.config
        sizes = f"{config.d_model} = {config.n_heads} × {config.d_k}"
        yield from _set(f"d_{{model}} = H × d_{{k}}:  {sizes}")

    def _meet(self) -> Iterator[Run]:
        yield from (*_set("q", "query"), *_set(" · "), *_set("k", "key"))
        yield from _set(" = Σ_{i} q_{i} k_{i}")

    def _products(self) -> Iterator[Run]:
        products = self.row.products(self.key)
        at = int(np.abs(products).argmax())
        q, k = (self.number(each[at]) for each in (self.row.q[self.row.head], self.row.k[self.key]))
        for one, other in ((f"q_{{{at + 1}}}", f"k_{{{at + 1}}} "), (f"= {q}", k)):
            yield from (*_set(one, "query"), *_set(" × "), *_set(other, "key"))
        yield from _set(f" = {self.number(products[at])}")

    def _sum(self) -> Iterator[Run]:
        products, score = self.row.products(self.key), self.row.scores[self.key]
        yield from (*_set("q", "query"), *_set(" · "), *_set("k", "key"))
        yield from _set(f" = {self._terms(products)} = {self.number(score)}")

    def _scores(self) -> Iterator[Run]:
        query, key = self.words
        yield from ((f"q[{query}]", "query", ""), *_set(" · "), (f"k[{key}]", "key", ""))
        yield from _set(f" = {self.number(self.row.scores[self.key])}")

    def _scaled(self) -> Iterator[Run]:
        score, scaled = (self.number(each[self.key]) for each in (self.row.scores, self.row.scaled))
        width, root = self.config.d_k, self.number(math.sqrt(self.config.d_k))
        divided = "→" if self.row.unscaled else f"÷ √{width} = {score} ÷ {root} ="
        yield from _set(f"{score} {divided} {scaled}")

    def _masked(self) -> Iterator[Run]:
        hidden = np.flatnonzero(~self.row.allowed)
        at = int(hidden[0]) if hidden.size else self.key
        after = FILLS[self.config.mask_fill] if hidden.size else self.number(self.row.masked[at])
        yield from _set(
            f"M = {int(not hidden.size)}:  {self.number(self.row.scaled[at])} → {after}"
        )

    def _weights(self) -> Iterator[Run]:
        masked = self.row.masked.astype(np.float64)
        with np.errstate(over="ignore"):
            above, below = float(np.exp(masked[self.key])), float(np.exp(masked).sum())
        yield from _set(f"e^{{{self.number(masked[self.key])}}} ÷ Σ_{{j}} e^{{sⱼ}} = ")
        if math.isfinite(below) and below > 0:
            yield from _set(f"{self.number(above)} ÷ {self.number(below)} = ")
        yield from _set(self.number(self.row.weights[self.key]), "weights")

    def _values(self) -> Iterator[Run]:
        feature, key = self.row.feature, self.words[1]
        yield from ((f"v[{key}]", "value", ""), *_set(f"_{{{feature + 1}}}", "value"))
        yield from (*_set(" = "), *_set(self.number(self.row.v[self.key, feature]), "value"))

    def _weighted(self) -> Iterator[Run]:
        at = self.key, self.row.feature
        yield from _set(self.number(self.row.used[self.key]), "weights")
        yield from (*_set(" × "), *_set(self.number(self.row.v[at]), "value"))
        yield from _set(f" = {self.number(self.row.parts[at])}")

    def _context(self) -> Iterator[Run]:
        feature = self.row.feature
        yield from _set(f"c_{{{feature + 1}}}", "value")
        yield from _set(f" = {self._terms(self.row.parts[:, feature])} = ")
        yield from _set(self.number(self.row.context[self.row.head, feature]), "value")

    def _heads(self) -> Iterator[Run]:
        yield from _set(f"head_{{1}} … head_{{{self.config.n_heads}}}", "value")

    def _concat(self) -> Iterator[Run]:
        config = self.config
        yield from _set("Concat", "value")
        yield from _set(f":  {config.n_heads} × {config.d_k} = {config.d_model}")

    def _output(self) -> Iterator[Run]:
        yield from _set("Concat", "value")
        yield from _set(" · W_{O}" + (" + b_{O}" if self.config.attention_bias else ""))

    def _terms(self, values: np.ndarray) -> str:
        """The largest of a sum's terms: "5.41 + 4.22 − 2.83 + …"."""
        order = np.argsort(-np.abs(np.nan_to_num(values)), kind="stable")[:WRITTEN_OUT].tolist()
        first, *others = order
        signs = "".join(
            f" {MINUS if values[at] < 0 else '+'} {self.number(abs(values[at]))}" for at in others
        )
        more = " + …" if len(values) > WRITTEN_OUT else ""
        return f"{self.number(values[first])}{signs}{more}"


def _set(text: str, role: str = "") -> Iterator[Run]:
    """A formula of our own with its indices and powers: "Σ_{j} e^{x}"."""
    plain, *marked = MARK.split(text)
    yield plain, role, ""
    for sign, small, after in zip(*(marked[at::3] for at in range(3)), strict=True):
        yield small, role, "sub" if sign == "_" else "sup"
        yield after, role, ""
