"""The model card: the figures of an evaluation, written for a reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.training.evaluate import Metrics, Tally

LIMITS = """\
## Limits

- It knows the words and sentence patterns of its grammar and nothing else. A sentence of another
  pattern is translated as the nearest pattern it knows: words can be dropped or invented, silently.
- A word outside the vocabulary travels in a copy slot: names, nouns and numbers arrive where they
  belong, translated if the gazetteer knows them, else as typed. An unknown verb or adjective is
  treated as a noun. At most four names, four nouns and four numbers a sentence.
- Chinese is written into one canonical English: a bare noun is "the …", 了 is the simple past, a
  mass noun has no article. Other correct translations count as mistakes in the figures above.
- The sentences are grammatical rather than sensible: what it learned about the world is which
  words go together in the grammar's lists.
- Attention shows where the model looked, not why it decided.
"""


def write_card(folder: Path, metrics: Metrics) -> None:
    """Writes metrics.json and CARD.md beside the weights."""
    about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    table = _table(metrics)
    text = json.dumps(table, ensure_ascii=False, indent=1)
    (folder / "metrics.json").write_text(text + "\n", encoding="utf-8")
    (folder / "CARD.md").write_text(_card(folder.name, about, metrics), encoding="utf-8")


def _table(metrics: Metrics) -> dict[str, Any]:
    return {
        "exact_match": {name: tally.to_dict() for name, tally in metrics.exact.items()},
        "by_template": {
            template: {name: tally.to_dict() for name, tally in tallies.items()}
            for template, tallies in sorted(metrics.by_template.items())
        },
        "coreference_both_readings": metrics.coreference.to_dict(),
        "by_hand": {name: tally.to_dict() for name, tally in metrics.everyday.items()},
        "cross_attention_alignment": {n: t.to_dict() for n, t in metrics.alignment.items()},
        "mistakes": metrics.mistakes,
    }


def _card(name: str, about: dict[str, Any], metrics: Metrics) -> str:
    parts = [
        f"# Model card: {name}",
        "An English ↔ Chinese translator small enough to watch, trained from nothing on sentences"
        " that this project's own grammar makes. Written by `python -m core evaluate`.",
        _figures(metrics),
        _templates(metrics),
        _data(about),
        LIMITS,
    ]
    return "\n\n".join(parts)


def _figures(metrics: Metrics) -> str:
    lines = ["## Figures", "", "| held-out sentences | right | of | share |", "|---|---|---|---|"]
    for direction, tally in metrics.exact.items():
        lines.append(f"| {direction}, every word right | {_cells(tally)} |")
    label = "coreference, both readings of a pair right (en-zh)"
    lines.append(f"| {label} | {_cells(metrics.coreference)} |")
    for direction, tally in metrics.everyday.items():
        lines.append(f"| written by hand, {direction} | {_cells(tally)} |")
    for layer, tally in metrics.alignment.items():
        lines.append(f"| cross-attention meets the gold alignment, {layer} | {_cells(tally)} |")
    note = (
        "Held out are combinations of template and fillers: none of these combinations, and none"
        " of these sentences on either side, occurs in training. Decoding is greedy. Alignment:"
        " the row that writes a word, mean of the layer's heads, most-attended source word; words"
        " without a partner are not counted. Written by hand: everyday sentences with the"
        " translations that count as right (`assets/sentences/everyday.json`); the grammar was"
        " widened with some of them in mind, so they are no independent test."
    )
    return "\n".join([*lines, "", note])


def _templates(metrics: Metrics) -> str:
    lines = ["## By template", "", "| template | en-zh | zh-en |", "|---|---|---|"]
    for template, tallies in sorted(metrics.by_template.items()):
        cells = (_share(tallies.get(direction)) for direction in ("en-zh", "zh-en"))
        lines.append(f"| {template} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _data(about: dict[str, Any]) -> str:
    model, training = about["model"], about.get("training", {})
    settings = ", ".join(f"{name} {value}" for name, value in training.items())
    return "\n".join(
        [
            "## Data and recipe",
            "",
            "A fresh stream of sentence pairs from `core/corpus/data`; both directions in one"
            " model, the first target piece says which language to write.",
            "",
            f"- vocabulary: {model['vocabulary_size']} pieces, English and Chinese together",
            f"- model: d_model {model['d_model']}, {model['n_heads']} heads,"
            f" {model['encoder_layers']} + {model['decoder_layers']} layers,"
            f" d_ff {model['d_ff']}, {model['norm_place']}-norm, one embedding table",
            f"- training: {settings}",
            "- optimiser: Adam (0.9, 0.98), the paper's schedule with a linear end;"
            " weights stored as float16",
        ]
    )


def _cells(tally: Tally) -> str:
    return f"{tally.right} | {tally.total} | {100 * tally.rate:.1f} %"


def _share(tally: Tally | None) -> str:
    return "–" if tally is None else f"{100 * tally.rate:.1f} % of {tally.total}"
