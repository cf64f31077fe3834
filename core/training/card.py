"""The model card: the figures of an evaluation, written for a reader.

CARD.md says what each figure means; metrics.json has all of them, for programs; FREE_TYPED.md
lists every typed sentence with what came of it. The sealed sentences have a list of their own,
so that whoever works on the grammar can read the first without seeing them.
"""

import json
from pathlib import Path
from typing import Any

from glassformer.core.training import card_sections as sections
from glassformer.core.training.evaluate import Metrics
from glassformer.core.training.evaluation.attention import Part
from glassformer.core.training.evaluation.typed import SEALED, Answer, answer_rows, by_direction

LIST, SEALED_LIST = "FREE_TYPED.md", "FREE_TYPED_SEALED.md"


def write_card(folder: Path, metrics: Metrics) -> None:
    """Writes metrics.json, CARD.md and the lists of typed sentences beside the weights.

    A list whose set was not measured is removed: it would tell of another evaluation.

    Args:
        folder: the model's folder, with its config.json.
        metrics: the figures of one evaluation.

    Raises:
        OSError: there is no config.json.
    """
    about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    files = {
        "metrics.json": json.dumps(
            card_figures(metrics), ensure_ascii=False, indent=0, separators=(",", ":")
        ),
        "CARD.md": _card(folder.name, about, metrics),
    }
    for name, sets in _lists(metrics).items():
        files[name] = sections.free_typed_list(folder.name, sets)
    for name in {LIST, SEALED_LIST} - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")


def _lists(metrics: Metrics) -> dict[str, dict[str, list[Answer]]]:
    """The sets of typed sentences by the file that lists them."""
    found: dict[str, dict[str, list[Answer]]] = {}
    for kind, given in metrics.typed.items():
        found.setdefault(SEALED_LIST if kind in SEALED else LIST, {})[kind] = given
    return found


def card_figures(metrics: Metrics) -> dict[str, Any]:
    """All figures as plain values.

    Args:
        metrics: the figures of one evaluation.

    Returns:
        What metrics.json holds; shares are 0..1.
    """
    return {
        "exact_match": _plain(metrics.written.exact),
        "scores": _plain(metrics.written.scores),
        "by_template": _plain(dict(sorted(metrics.written.by_template.items()))),
        "coreference_both_readings": _plain(metrics.coreference),
        "alignment": _plain(metrics.alignment),
        "antecedent": _plain(metrics.antecedent),
        "heads": _heads(metrics),
        "sharpness": {
            part.name: {**each.to_dict(), "unscaled_changes": round(metrics.unscaled[part].rate, 4)}
            for part, each in metrics.sharpness.items()
            if part in metrics.unscaled
        },
        "redirect": {"resolved": _plain(metrics.resolved), "flipped": _plain(metrics.flips)},
        "knock_out": _plain(metrics.knock_outs),
        "typed": {name: _plain(by_direction(found)) for name, found in metrics.typed.items()},
        "badge": _plain(metrics.calibration),
        "typed_answers": {name: answer_rows(found) for name, found in metrics.typed.items()},
        "mistakes": metrics.written.mistakes,
    }


def _plain(found: Any) -> Any:
    """Figures, in tables of any depth, as plain values."""
    if isinstance(found, dict):
        return {name: _plain(each) for name, each in found.items()}
    return found.to_dict()


def _heads(metrics: Metrics) -> list[dict[str, Any]]:
    """Every head that was looked at, for metrics.json; `core.analysis.measured_heads` reads it.

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


def _card(name: str, about: dict[str, Any], metrics: Metrics) -> str:
    parts = [
        sections.card_passage("card", name=name),
        sections.teaching_section(about),
        sections.held_out(metrics),
        sections.typed_section(metrics, list(_lists(metrics))),
        sections.badge_section(metrics.calibration),
        sections.attention_section(metrics),
        sections.roles_section(metrics),
        sections.sharpness_section(metrics),
        sections.redirects_section(metrics),
        sections.knock_outs(metrics),
        sections.templates_section(metrics.written.by_template),
        sections.data_section(about),
        sections.card_passage("limits"),
    ]
    return "\n\n".join(part for part in parts if part)
