"""The stations of the movement: what each is called, its formula in numbers, its sentence."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassformer.app.plots.labels import MASK_FILLS, MINUS
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import MOTION
from glassformer.app.words import say
from glassformer.core.analysis.attention_cell import Terms
from glassformer.core.analysis.attention_row import AttentionRow
from glassformer.core.config import ModelConfig

# In numbers of the row: role<text> has the colour of a role, _<index> and ^<power> are small.
FORMULAS = {
    "joined": "query<q[{word}]> = x · W_<Q>",
    "split": "d_<model> = H × d_<k>:  {d_model} = {heads} × {d_k}",
    "split_apart": "H × d_<k>:  {heads} × {d_k} = {inner}",
    "meet": "query<q> · key<k> = Σ_<i> q_<i> k_<i>",
    "products": "query<q>query_<{at}> × key<k>key_<{at}> = query<{q}> × key<{k}> = {product}",
    "sum": "query<q> · key<k> = {products} = {score}",
    "scores": "query<q[{word}]> · key<k[{key}]> = {score}",
    "scaled": "{score} ÷ √{d_k} = {score} ÷ {root} = {scaled}",
    "unscaled": "{score} → {scaled}",
    "masked": "M = 1:  {scaled} → {masked}",
    "biased": "{scaled} + B = {scaled} + {bias} = {biased}",
    "hidden": "M = 0:  {before} → {fill}",
    "weights": "e^<{masked}> ÷ Σ_<j> e^<sⱼ> = {above} ÷ {below} = weights<{weight}>",
    "huge": "e^<{masked}> ÷ Σ_<j> e^<sⱼ> = weights<{weight}>",
    "values": "value<v[{key}]>value_<{feature}> = value<{v}>",
    "weighted": "weights<{used}> × value<{v}> = {part}",
    "context": "value<c>value_<{feature}> = {parts} = value<{context}>",
    "heads": "value<head>value_<1> … value<head>value_<{heads}>",
    "concat": "value<Concat>:  {heads} × {d_k} = {inner}",
    "output": "value<Concat> · W_<O>",
}
BIASES = {"joined": " + b_<Q>", "output": " + b_<O>"}
MARK = re.compile(r"(query|key|value|weights|)([_^]?)<(.*?)>")
LEVELS = {"": "", "_": "sub", "^": "sup"}
KEYS = 13  # that have a box of their own, at 100 %
WRITTEN_OUT = 3  # terms of a sum


@dataclass(frozen=True)
class Story:
    """One row, its word, the key whose number every formula follows, and how to write.

    itself: where the row's word stands among the keys, None where these are another sentence.
    """

    row: AttentionRow
    cell: Terms
    words: tuple[str, str]  # query and key
    key: int
    config: ModelConfig
    look: FigureStyle
    kind: str = "encoder"
    itself: int | None = None

    def stations(self) -> list[dict[str, Any]]:
        """What the browser says at each station: [text, role, "sub" or "sup"] make a formula."""
        return [
            {
                "name": name,
                "title": say(f"motion.title_{name}"),
                "formula": list(self._formula(name)),
                "says": self._says(name),
                "note": self._note(name),
            }
            for name in MOTION
        ]

    @cached_property
    def drawn(self) -> list[int]:
        """The keys that have a box of their own."""
        kept = [self.key] if self.itself in (None, self.key) else [self.key, self.itself]
        return self.row.telling(max(6, KEYS * 100 // self.look.size), kept)

    def _says(self, name: str) -> str:
        if name == "masked" and self.row.allowed.all():
            return say("motion.says_open", word=self.words[0])
        said = say(f"motion.says_{name}", **self._facts)
        if name == "concat" and self.config.inner_width != self.config.d_model:
            return say("motion.says_concat_apart", **self._facts)
        if name == "scores" and len(self.drawn) < len(self.row.weights):
            which = "says_others" if self.itself is None else "says_others_own"
            others = say(f"motion.{which}", shown=len(self.drawn), word=self.words[0])
            return say("language.gap").join((said, others))
        return said

    def _note(self, name: str) -> str:
        """What a switch, dropout or a family's own way makes other than the sentence says."""
        if name in self._own_ways:
            return say(f"motion.note_{self._own_ways[name]}", **self._facts)
        if name == "scaled" and self.row.unscaled:
            return say("motion.note_unscaled")
        if {"sum": "scores"}.get(name, name) in self.row.changed:
            return say("motion.note_changed")
        return say("motion.note_dropped") if name == "weighted" and self.row.dropped else ""

    @property
    def _own_ways(self) -> dict[str, str]:
        """By station, what families other than the paper's do there."""
        config, ways = self.config, dict[str, str]()
        if self.kind != "cross" and config.positions == "rotary":
            ways["meet"] = "rotated"
        if not self.row.divides:
            ways["scaled"] = "undivided"
        if self.row.bias is not None:
            ways["masked"] = "biased"
        if config.key_heads != config.n_heads:
            ways["values"] = "shared"
        return ways

    def _formula(self, name: str) -> Iterator[tuple[str, str, str]]:
        biased = "" if self.row.bias is None else "biased"
        other = {
            "split": "" if self.config.inner_width == self.config.d_model else "split_apart",
            "scaled": "unscaled" if self.row.unscaled or not self.row.divides else "",
            "masked": biased if self.row.allowed.all() else "hidden",
            "weights": "" if 0 < self.cell.denominator < math.inf else "huge",
        }
        pattern = FORMULAS[other.get(name) or name]
        if self.config.attention_bias:
            pattern += BIASES.get(name, "")
        plain, *marked = MARK.split(pattern)  # what is typed is put in after this
        yield plain.format(**self._facts), "", ""
        for role, level, text, after in zip(*(marked[at::4] for at in range(4)), strict=True):
            yield text.format(**self._facts), role, LEVELS[level]
            yield after.format(**self._facts), "", ""

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """Everything that sentences and formulas say."""
        row, cell, config = self.row, self.cell, self.config
        at, hidden = cell.order("largest")[0], int(row.allowed.argmin())
        numbers = {
            "q": cell.q[at], "k": cell.k[at], "product": cell.products[at], "score": cell.score,
            "root": math.sqrt(config.d_k), "scaled": cell.scaled, "masked": cell.masked,
            "before": row.scaled[hidden], "above": cell.numerator, "below": cell.denominator,
            "weight": cell.weight, "used": row.used[self.key],
            "v": row.v[self.key, row.feature], "part": row.parts[self.key, row.feature],
            "context": row.context[row.head, row.feature], "bias": cell.bias or 0.0,
            "biased": cell.scaled if cell.biased is None else cell.biased,
        }  # fmt: skip
        return {name: self.look.number(value) for name, value in numbers.items()} | {
            "word": self.words[0], "key": self.words[1], "head": row.head + 1, "at": at + 1,
            "heads": config.n_heads, "d_k": config.d_k, "d_model": config.d_model,
            "inner": config.inner_width, "keys": config.key_heads,
            "feature": row.feature + 1, "count": len(row.weights),
            "fill": MASK_FILLS[config.mask_fill],
            "products": self._sum(cell.products), "parts": self._sum(row.parts[:, row.feature]),
        }  # fmt: skip

    def _sum(self, values: np.ndarray) -> str:
        """The largest terms of a sum: "5.41 + 4.22 − 2.83 + …"."""
        order = np.argsort(-np.abs(np.nan_to_num(values)), kind="stable")[:WRITTEN_OUT]
        more = " + …" if len(values) > WRITTEN_OUT else ""
        terms = (f" {MINUS if each < 0 else '+'} {self.look.number(abs(each))}"
                 for each in values[order[1:]])  # fmt: skip
        return f"{self.look.number(values[order[0]])}{''.join(terms)}{more}"
