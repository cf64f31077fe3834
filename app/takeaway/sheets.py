"""Exercise sheets as HTML: one on screen, and files of many that print a page each.

The page holds its style and nothing else: no script, no picture, nothing is loaded.
"""

from collections.abc import Iterable, Mapping
from html import escape
from itertools import accumulate

from glassformer.app.panels.address_words import place
from glassformer.app.plots.labels import visible
from glassformer.app.takeaway.formulas import mathml
from glassformer.app.words import say
from glassformer.core.lectures.exercises import DIGITS, Cell, Exercise
from glassformer.core.trace.trace import Trace

Sheets = Mapping[int, tuple[Exercise, ...]]  # the exercises by their seed
WORDS = ("query", "key", "word")  # facts that users or sentences have typed
FORMULAS = {
    "score": r"s = \sum_i q_i k_i, \quad \frac{s}{\sqrt{d_k}}",
    "softmax": r"w_j = \frac{e^{s_j}}{\sum_m e^{s_m}}",
    "mix": r"z = \sum_j w_j v_j",
    "norm": r"\hat{x}_i = \frac{x_i - \mu}{\sigma}",
    "position": r"\sin \frac{t}{10000^{2i/D}}, \quad \cos \frac{t}{10000^{2i/D}}",
}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
STYLE = """
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem; color: #111827; background: #fff;
  font: 1rem/1.45 "Source Sans 3", "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC",
  "Microsoft YaHei", sans-serif; }
.sheet + .sheet { margin-top: 3rem; border-top: 1px solid #9aa3af; padding-top: 2rem; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.3rem 2rem; }
h1 { margin: 0; font-size: 1.4rem; }
h2 { margin: 1.1rem 0 0.2rem; font-size: 1.05rem; }
p { margin: 0.3rem 0; overflow-wrap: anywhere; }
.small { font-size: 0.875rem; color: #4b5563; }
.table { overflow-x: auto; }
table { margin: 0.4rem 0; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #9aa3af; padding: 0.2rem 0.5rem; text-align: right; }
th { font-weight: 600; background: #f3f4f6; }
tbody th { text-align: left; }
.gap { min-width: 5.5rem; height: 2rem; text-align: left; background: #fff;
  border: 2px solid #111827; }
.gap b { color: #7c3aed; }
.off { border-color: transparent; }
@page { size: A4; margin: 14mm; }
@media print {
  * { print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  .sheet { break-inside: avoid; }
  .sheet + .sheet { margin: 0; padding: 0; border: 0; break-before: page; }
  .exercise { break-inside: avoid; }
}
"""


def sheet_file(trace: Trace, sheets: Sheets, solved: bool, language: str) -> bytes:
    """A page of sheets of a run, or of their solutions; printed, a sheet is a page."""
    title = say("exercises.solutions" if solved else "exercises.title")
    written = "\n".join(_sheet(trace, seed, made, solved) for seed, made in sheets.items())
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{written}\n</body>\n</html>\n"
    ).encode()


def exercise_html(number: int, exercise: Exercise, first: int, solved: bool = False) -> str:
    """One exercise. number: from 1. first: how many gaps stand before it on the sheet."""
    told = escape(say("exercises.tolerance", tolerance=f"{exercise.tolerance:g}"))
    read = escape(say("exercises.read", address=exercise.where)) if solved else ""
    return (
        f'<div class="exercise"><h2>{number} · {escape(say(f"exercises.{exercise.kind}"))}</h2>'
        f"<p>{_text(exercise, first)} {mathml(FORMULAS[exercise.kind])}</p>"
        f'<div class="table">{_table(exercise, first, solved)}</div>'
        f'<p class="small">{told} {read}</p></div>'
    )


def gap_name(at: int) -> str:
    """The letter of a gap, counted over a sheet, from a on."""
    return chr(ord("a") + at)


def gap_starts(exercises: Iterable[Exercise]) -> list[int]:
    """How many gaps of a sheet stand before each exercise."""
    return [*accumulate((len(each.gaps) for each in exercises), initial=0)][:-1]


def _sheet(trace: Trace, seed: int, exercises: tuple[Exercise, ...], solved: bool) -> str:
    starts = gap_starts(exercises)
    inside = "".join(
        exercise_html(at + 1, each, starts[at], solved) for at, each in enumerate(exercises)
    )
    name = "" if solved else f"<p>{escape(say('exercises.name'))} ____________________________</p>"
    title = say("exercises.solutions" if solved else "exercises.title")
    run = say("exercises.run", sentence=trace.source_text or trace.output_text)
    facts = f"{run} {say('exercises.rounding', digits=DIGITS)}"
    model = say("exercises.model", model=trace.model_name) if trace.model_name else ""
    check = "" if solved else say("exercises.check_there", seed=seed)
    return (
        f'<section class="sheet"><div class="head"><h1>{escape(title)} · '
        f"{escape(say('exercises.sheet', seed=seed))}</h1>{name}</div>"
        f'<p class="small" dir="auto">{escape(f"{facts} {model} {check}")}</p>{inside}</section>'
    )


def _text(exercise: Exercise, first: int) -> str:
    told = dict(exercise.facts)
    if "place" in told:
        told["place"] = place(f"{told['place']}/x")
    told |= {name: visible(str(told[name])) for name in WORDS if name in told}
    names = {f"gap{at + 1}": f"({gap_name(first + at)})" for at in range(len(exercise.gaps))}
    return escape(say(f"exercises.{exercise.kind}_text", **told, **names))


def _table(exercise: Exercise, first: int, solved: bool) -> str:
    def cell(each: Cell) -> str:
        if each is None:
            return '<td class="off"></td>'
        if isinstance(each, str):
            return f"<td>{each}</td>"
        shown = f" <b>{exercise.gaps[each].shown}</b>" if solved else ""
        return f'<td class="gap">({gap_name(first + each)}){shown}</td>'

    head = "".join(f"<th>{_column(exercise, each)}</th>" for each in exercise.columns)
    rows = "".join(
        f"<tr><th>{escape(say(f'exercises.row_{name}'))}</th>{''.join(map(cell, row))}</tr>"
        for name, row in exercise.rows.items()
    )
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _column(exercise: Exercise, name: str) -> str:
    if name in ("rest", "sum", "scaled", "sin", "cos") and exercise.kind in (
        "score", "position", "mix",
    ):  # fmt: skip
        return escape(say(f"exercises.column_{name}", **exercise.facts))
    if exercise.kind in ("score", "norm"):
        return escape(say("exercises.column_feature", feature=name))
    return f"<bdi>{escape(visible(name))}</bdi>"
