"""The tables and the picture of docs/heads.md, from the figures that explore_heads.py left.

.venv/bin/python scripts/draw_heads.py      prints the tables, writes docs/heads/cuts.svg
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).resolve().parent.parent / "docs" / "heads"
HELD_OUT = ("exact_en_zh", "exact_zh_en", "coreference", "alignment", "antecedent")
BARS = {
    "nothing taken away": "#6b7280",
    "clearest pronoun head at its mean": "#2563eb",
    "pronoun may not look at the nouns": "#0891b2",
    "nouns may not look at the deciding word": "#dc2626",
    "pronoun may not look at the deciding word": "#d97706",
}
BAR, GAP, LEFT, WIDTH = 15, 22, 130, 560  # px


def main() -> None:
    """Draws all runs that have been measured."""
    found = json.loads(gzip.decompress((FIGURES / "figures.json.gz").read_bytes()))
    ordered = {name: run for name, run in found.items() if "/" not in name}
    sys.stdout.write(table(ordered) + "\n")
    (FIGURES / "cuts.svg").write_text(picture(ordered), encoding="utf-8")
    cures = {name.partition("/")[2]: run for name, run in found.items() if "/" in name}
    sys.stdout.write("\n" + sharpness_table(cures) + "\n")


def table(runs: dict[str, Any]) -> str:
    """The runs side by side, as Markdown."""
    heads = ["run", "en-zh", "zh-en", "both readings", "alignment", "clearest pronoun head"]
    heads += list(BARS)[1:]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, found in runs.items():
        cells = [name, *(f"{100 * found['held_out'][column]:.1f}" for column in HELD_OUT)]
        cells += [f"{100 * share:.1f}" for share in shares(found)[1:]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def sharpness_table(runs: dict[str, Any]) -> str:
    """What keeps attention from saturating, at the end of each run, as Markdown."""
    heads = ["run", "steps", "en-zh", "zh-en", "loss", "saturated", "without √d_k", "`<eos>`"]
    heads += ["changed without √d_k", "antecedent en", "antecedent zh"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, found in runs.items():
        step, sites = list(found["sharpness"].items())[-1]
        held = found["held_out"]
        cells = [name, step, *(f"{100 * held[column]:.1f}" for column in HELD_OUT[:2])]
        cells += [f"{held['loss']:.3f}"]
        for column in ("saturated", "unscaled", "end", "unscaled_changes"):
            shown = (site for key, site in sites.items() if column != "end" or "encoder" in key)
            cells.append(" · ".join(f"{100 * site[column]:.0f}" for site in shown))
        cells += [f"{100 * held[column]:.1f}" for column in ("antecedent", "antecedent_zh")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def shares(found: dict[str, Any]) -> list[float]:
    """Sentences right in both readings, 0..1, in the order of BARS."""
    head = found["without"][f"encoder self-attention {found['antecedent_head']}"]
    cut = found["cut"]
    whole = found["held_out"]["coreference"]
    cuts = ("pronoun -> both nouns", "both nouns -> decider", "pronoun -> decider")
    return [whole, head["mean"], *(cut[name] for name in cuts)]


def picture(runs: dict[str, Any]) -> str:
    """A group of bars for each run, as SVG."""
    group = BAR * len(BARS) + GAP
    top = 24 * len(BARS) + 30
    height = top + group * len(runs) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{height}"'
        f' viewBox="0 0 {LEFT + WIDTH + 70} {height}" font-family="sans-serif" font-size="14">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(10, 20, "Right in both readings of the pronoun, %"),
    ]
    for index, (label, colour) in enumerate(BARS.items()):
        y = 32 + 24 * index
        parts.append(f'<rect x="10" y="{y}" width="14" height="14" fill="{colour}"/>')
        parts.append(_text(32, y + 12, label))
    for index, (name, found) in enumerate(runs.items()):
        y = top + group * index
        parts.append(_text(10, y + BAR * 2 + 5, name))
        for row, (share, colour) in enumerate(zip(shares(found), BARS.values(), strict=True)):
            place = f'x="{LEFT}" y="{y + BAR * row}" height="{BAR - 2}"'
            parts.append(f'<rect {place} width="{max(1.0, share * WIDTH):.0f}" fill="{colour}"/>')
            parts.append(_text(LEFT + share * WIDTH + 6, y + BAR * row + 12, f"{100 * share:.0f}"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="#111827">{text}</text>'


if __name__ == "__main__":
    main()
