"""Patterns made of clauses: one entry for a joiner and all the clauses that it joins.

    { en = "because~b [A] , [B]", zh = "因为~b [A] , 所以 [B]", weight = 0.085,
      same = "was_very+did_not", other = "raining+will_not did+is" }

`data/clauses.toml` lists the kinds of clauses once, `data/README.md` explains the notation, and
`Clauses.expand` writes the plain patterns out.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from glassformer.core.errors import GlassformerError

Table = dict[str, Any]

SETTINGS = ("en", "zh", "weight", "head", "agreement", "needs", "only", "hold", "copies")
OF_KIND = ("en", "zh", "share", "key", "only")  # what a kind has beside its slots
PLACE = re.compile(r"\[(\w+)(-?)\]")
SLOT = re.compile(r"(?<=[{:(])\w+(?=[.:})])")  # in a side, and where another slot depends on it
NUMBERS = {"A": "1", "B": "2", "clause": "1"}  # two clauses may have slots of the same name
WHO = {"same": "pronoun", "other": "somebody"}  # and the subject, unless the entry says it


@dataclass(frozen=True)
class Filler:
    """What stands in one place of one pattern."""

    sides: dict[str, str]  # "en", "zh" and "zh-", the Chinese without its subject
    slots: dict[str, str]
    key: str  # the slot that tells it from others of its kind; "" if it has none
    only: str


class Clauses:
    """Tables of kinds, and lists of kinds that several entries name."""

    def __init__(self, found: Table):
        self.lists = {name: text for name, text in found.items() if isinstance(text, str)}
        self.tables = {name: table for name, table in found.items() if name not in self.lists}

    @classmethod
    def load(cls, folder: Path) -> "Clauses":
        """The kinds of clauses that a grammar's folder lists.

        Args:
            folder: of the grammar.

        Returns:
            What clauses.toml says; nothing where it is not there.

        Raises:
            ValueError: the file is no TOML.
        """
        file = folder / "clauses.toml"
        return cls(tomllib.loads(file.read_text("utf-8")) if file.is_file() else {})

    def expand(self, name: str, entry: Table) -> list[Table]:
        """The plain patterns of a template that an entry stands for.

        Args:
            name: of the template, for what an error says.
            entry: a pattern, maybe with places such as `[A]`.

        Returns:
            The patterns; the entry itself where it has no places.

        Raises:
            GlassformerError: `grammar`, for a clause that does not exist, and for an entry without
            any.
        """
        places = sorted({match[1] for match in PLACE.finditer(entry["en"] + entry["zh"])})
        if not places:
            return [entry]
        try:
            patterns = list(self._patterns(entry, places))
        except (KeyError, ValueError) as error:
            problem = f"{error} is no clause for {entry['en']}"
            raise GlassformerError("grammar", file=name, problem=problem) from error
        if not patterns:
            raise GlassformerError("grammar", file=name, problem=f"no clause for {entry['en']}")
        return patterns

    def _patterns(self, entry: Table, places: list[str]) -> Iterator[Table]:
        if {"A", "B"} & set(places):
            for who in WHO:
                for kinds, factor in self._items(entry.get(who, "")):
                    yield self._pattern(entry, places, kinds, who, factor)
        else:
            for items in product(*(list(self._of_table(entry, place)) for place in places)):
                kinds, factors = [kind for kind, _ in items], [factor for _, factor in items]
                yield self._pattern(entry, places, kinds, "other", prod(factors))

    def _items(self, text: str) -> Iterator[tuple[list[str], float]]:
        """What a list says: "did+is", or "did*0.5", or the name of another list."""
        for item in text.split():
            if item in self.lists:
                yield from self._items(self.lists[item])
            else:
                kinds, _, factor = item.partition("*")
                yield kinds.split("+"), float(factor or 1)

    def _of_table(self, entry: Table, place: str) -> Iterator[tuple[str, float]]:
        """The kinds that an entry wants in a place: those it lists, or all."""
        table, listed = self.tables[place], entry.get(place, "all")
        for kinds, factor in self._items(" ".join(table) if listed == "all" else listed):
            kind = "+".join(kinds)
            if not (listed == "all" and "only" in table[kind] and "only" in entry):
                yield kind, factor if entry.get("even") else factor * table[kind].get("share", 1)

    def _pattern(
        self, entry: Table, places: list[str], kinds: list[str], who: str, factor: float
    ) -> Table:
        if len(kinds) != len(places):
            raise ValueError("+".join(kinds))
        fillers = {
            place: _filler(self.tables["clause" if place in NUMBERS else place][kind], place, who)
            for place, kind in zip(places, kinds, strict=True)
        }
        made: Table = {}  # the slots of a clause stand where the entry lists the clauses
        for key, value in {**entry, **dict.fromkeys(places)}.items():
            if key not in (*places, *WHO, "even", "digits"):
                made[key] = value
            for place, filler in fillers.items():
                for slot, source in filler.slots.items() if key in (place, who) else ():
                    made.setdefault(slot, entry.get(slot, source))
        for filler in fillers.values():
            made |= {"only": filler.only} if filler.only else {}
        made["weight"] = round(float(entry.get("weight", 1)) * factor, entry.get("digits", 4))
        made["hold"] = _hold(made, fillers)
        return made | {side: _side(entry[side], side, fillers) for side in ("en", "zh")}


def _filler(kind: Table, place: str, who: str) -> Filler:
    own = {slot: str(source) for slot, source in kind.items() if slot not in OF_KIND}
    number = NUMBERS.get(place, "")
    subject = "r" if place == "B" and who == "other" else "s"
    names = {slot: slot + number for slot in own} | ({"s": subject} if number else {})

    def said(text: str) -> str:
        text = SLOT.sub(lambda match: names.get(match[0], match[0]), text)
        text = re.sub(r"~(\w+)", rf"~\g<1>{number}", text)
        return text.replace("{s}", "{s}~s") if place == "B" else text

    slots = {names[slot]: said(source) for slot, source in own.items()}
    if number and "{s}" in kind["en"]:
        slots = {subject: WHO[who]} | slots
    key = names[kind["key"]] if "key" in kind else next(iter([*own, *slots]), "")
    sides = {"en": said(kind["en"]), "zh": said(kind["zh"])}
    sides["zh-"] = said(kind["zh"].removeprefix("{s} "))
    return Filler(sides, slots, names.get(key, key), kind.get("only", ""))


def _side(text: str, side: str, fillers: dict[str, Filler]) -> str:
    return PLACE.sub(lambda match: fillers[match[1]].sides[side + match[2]], text)


def _hold(made: Table, fillers: dict[str, Filler]) -> list[str]:
    """The slots to hold out; the name of a place stands for the slot that tells its kind."""
    wanted = made.get("hold", list(fillers))
    slots = [slot for slot in made if slot not in SETTINGS]
    if isinstance(wanted, str):
        wanted = slots[-1:] if wanted == "last" else [*slots[:1], *slots[-1:]]
    keys = [fillers[name].key if name in fillers else name for name in wanted]
    return [key for key in dict.fromkeys(keys) if key]
