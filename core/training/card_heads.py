"""The model card on single heads: what each is seen to do, what is lost without it, how sharp."""

from __future__ import annotations

from typing import Any

from core.training.card_tables import percent, table
from core.training.evaluate import Metrics
from core.training.measures.knock_out import Part, Without
from core.training.measures.roles import ROLES
from core.training.measures.tally import Tally


def heads(metrics: Metrics) -> list[dict[str, Any]]:
    """Every head that was looked at, for metrics.json; `core.reading.measured_heads` reads it.

    `roles` are shares of rows by direction, `lost` what becomes fewer without the head (shares of
    sentences, negative where there are more), by way of taking it away.
    """
    return [
        {
            "stack": part.stack,
            "head": part.head,
            "roles": {
                direction: {
                    role: round(tally.rate, 4) for role, tally in found[part].items() if tally.total
                }
                for direction, found in metrics.roles.items()
                if part in found
            },
            "sharpness": metrics.sharpness[part].to_dict() if part in metrics.sharpness else {},
            "lost": _lost(metrics, part),
        }
        for part in dict.fromkeys(part for found in metrics.roles.values() for part in found)
    ]


def _lost(metrics: Metrics, part: Part) -> dict[str, dict[str, float]]:
    if part.name not in metrics.knock_outs:
        return {}
    before = metrics.knock_outs["nothing"]["unchanged"].to_dict()
    return {
        way: {name: round(before[name] - share, 4) for name, share in without.to_dict().items()}
        for way, without in metrics.knock_outs[part.name].items()
    }


def role_table(metrics: Metrics) -> str:
    """The head that plays each role most, in each direction, and the model without it."""
    lines = []
    for direction, found in metrics.roles.items():
        for role in ROLES:
            played = {part: tallies[role] for part, tallies in found.items() if role in tallies}
            if any(tally.total for tally in played.values()):
                part = max(played, key=lambda each: (played[each].total > 0, played[each].rate))
                ways = metrics.knock_outs.get(part.name, {})
                lines.append([direction, role, part.name, *_cells(played[part], ways, direction)])
    if not lines:
        return ""
    columns = ["", "role", "head", "of rows", "exact without it, zeroed", "at its mean"]
    return "\n\n".join(
        [
            "## Heads worth looking at",
            "For each role the head whose rows look most often at the place it names: the word"
            " before, the word itself, the word after, a word that the row translates, the noun"
            " that a pronoun stands for. Beside it the sentences that stay right without the head."
            " All heads are in metrics.json, under “heads”.",
            table(columns, lines),
        ]
    )


def _cells(played: Tally, ways: dict[str, Without], direction: str) -> list[str]:
    left = [ways[way].exact.get(direction) if way in ways else None for way in ("zeroed", "mean")]
    return [f"{percent(played)} of {played.total}", *map(percent, left)]


def sharpness_table(metrics: Metrics) -> str:
    """How sharp each attention is, and what the division by √d_k does to it."""
    lines = [
        [
            part.name,
            _share(found.saturated),
            _share(found.unscaled),
            _share(found.end) if "decoder self" not in part.name else "–",
            f"{found.score:.1f}",
            percent(metrics.unscaled.get(part)),
        ]
        for part, found in metrics.sharpness.items()
        if part.head is None
    ]
    if not lines:
        return ""
    columns = ["attention", "rows with a weight > 0.99", "without √d_k", "weight on `<eos>`"]
    columns += ["mean absolute score", "translations that change without √d_k"]
    return "\n\n".join(
        [
            "## How sharp attention is",
            "Mean of the heads, over rows that may look at two words or more, both directions.",
            table(columns, lines),
        ]
    )


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"
