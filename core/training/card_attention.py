"""The model card on attention: where heads look, and what they do."""

from __future__ import annotations

from core.training.card_tables import percent, table
from core.training.evaluate import Metrics
from core.training.measures.knock_out import Without
from core.training.measures.tally import Tally, best

MATTERS = 0.02  # a share; a smaller loss is no more than a few sentences
HEADS_SHOWN = 8
WAYS = {"zeroed": "its output zeroed", "mean": "its output replaced by the mean"}


def attention(metrics: Metrics) -> str:
    """How well cross-attention aligns, and which encoder head finds the antecedent."""
    lines = []
    for direction, looks in metrics.alignment.items():
        layers = {name: tally for name, tally in looks.items() if "head" not in name}
        lines.append([direction, *map(percent, layers.values()), _named(best(looks, "head"))])
        heads = ["", *(f"{name}, mean of heads" for name in layers), "best single head"]
    parts = [
        "## Where attention looks",
        table(heads, lines) if lines else "",
        "Cross-attention: the share of rows that look most at a source word that they translate,"
        " by the grammar's alignment; words without a partner are not counted.",
        *(_antecedent(metrics, direction) for direction in metrics.antecedent),
    ]
    return "\n\n".join(part for part in parts if part)


def _antecedent(metrics: Metrics, direction: str) -> str:
    looks = metrics.antecedent[direction]
    found = best(looks)
    if found is None:
        return ""
    every = ", ".join(f"{name} {percent(tally)}" for name, tally in looks.items())
    text = (
        f"Antecedents, {direction}: the encoder head that looks most often from a pronoun to the"
        f" noun it stands for is {found[0]}, with {percent(found[1])} of {found[1].total} pronouns"
        f" (the row's most-attended word is the noun). All encoder heads: {every}."
    )
    ways = metrics.knock_outs.get(f"encoder self-attention {found[0]}")
    if not ways or direction != "en-zh":  # translating a Chinese pronoun needs no antecedent
        return text
    return f"{text}\n\n{_needed(found[0], metrics, ways)}"


def _needed(name: str, metrics: Metrics, ways: dict[str, Without]) -> str:
    """What happens to pronouns without the head that shows their antecedents."""
    before = _baseline(metrics).coreference
    drops = {way: before.rate - without.coreference.rate for way, without in ways.items()}
    told = ", ".join(
        f"{percent(without.coreference)} ({WAYS[way]})" for way, without in sorted(ways.items())
    )
    needed = "depends" if max(drops.values()) >= MATTERS else "does not depend"
    return (
        f"With {name}, both readings of a pronoun are right in {percent(before)} of"
        f" {before.total}; without it: {told}. So the translation of pronouns {needed} on it."
    )


def redirects(metrics: Metrics) -> str:
    """Attention turned by hand to the other noun: how often the translation follows."""
    if not metrics.flips:
        return ""
    whole = {name: tally for name, tally in metrics.flips.items() if name.split()[-2] == "all"}
    lines = [[name, percent(tally), str(tally.total)] for name, tally in whole.items()]
    for stack in ("decoder", "encoder"):
        singles = {n: t for n, t in metrics.flips.items() if n.startswith(stack) and "head " in n}
        found = best(singles)
        if found:
            label = f"{found[0]}, the {stack} head alone that flips most"
            lines.append([label, percent(found[1]), str(found[1].total)])
    return "\n\n".join(
        [
            "## Attention turned by hand",
            f"The noun that a pronoun stands for is written rightly in {percent(metrics.resolved)}"
            f" of {metrics.resolved.total} readings, after the expected words. In these, attention"
            " is set to look at the other noun alone: in the decoder, the cross-attention of the"
            " row that writes the noun; in the encoder, the self-attention of the pronoun's row."
            " How often the other noun is written instead:",
            table(["turned", "nouns that flip", "of"], lines),
        ]
    )


def knock_out_table(metrics: Metrics) -> str:
    """The model without whole attentions, and without the heads that are missed most."""
    if not metrics.knock_outs:
        return ""
    before = _baseline(metrics)
    parts = {name: ways for name, ways in metrics.knock_outs.items() if name != "nothing"}
    whole = [name for name in parts if "head" not in name]
    heads = sorted((name for name in parts if "head" in name), key=lambda name: _left(parts[name]))[
        :HEADS_SHOWN
    ]
    untouched = _cells(before)
    lines = [["nothing", *untouched, *("" for _ in untouched)]]
    lines += [
        [name, *(cell for way in WAYS for cell in _cells(parts[name][way]))]
        for name in (*whole, *heads)
    ]
    what = ("pronouns", *before.exact)
    columns = [f"{name}, {way}" for way in WAYS for name in what]
    sentences = ", ".join(f"{tally.total} {name}" for name, tally in before.exact.items())
    return "\n\n".join(
        [
            "## Without a head",
            "A head's output is set to zero, or to its mean over the test sentences; whole"
            " attentions, and the heads that are missed most. Pronouns: both readings right, of"
            f" {before.coreference.total}; every word right, of held-out sentences ({sentences})."
            " All heads are in metrics.json.",
            table(["without", *columns], lines),
        ]
    )


def _left(ways: dict[str, Without]) -> float:
    """What is left without a part, so that the smallest comes first."""
    return sum(
        tally.rate
        for without in ways.values()
        for tally in (without.coreference, *without.exact.values())
        if tally.total
    )


def _cells(without: Without) -> list[str]:
    return [percent(without.coreference), *map(percent, without.exact.values())]


def _baseline(metrics: Metrics) -> Without:
    return metrics.knock_outs["nothing"]["unchanged"]


def _named(found: tuple[str, Tally] | None) -> str:
    return "–" if found is None else f"{found[0]}, {percent(found[1])}"
