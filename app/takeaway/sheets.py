"""Exercise sheets as HTML: one on screen, and files of many that print a page each.

The page holds its style and nothing else: no script, no picture, nothing is loaded.
"""

from collections.abc import Iterable, Mapping
from html import escape
from itertools import accumulate

from glassformer.app.plots.labels import visible
from glassformer.app.takeaway.formulas import mathml
from glassformer.app.words import say
from glassformer.core.lectures.exercises import DIGITS, Cell, Exercise
from glassformer.core.trace.address import Address
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
COLUMNS = {"score": ("rest", "sum", "scaled"), "mix": ("sum",), "position": ("sin", "cos")}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
STYLE = """
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem; color: #111827; background: #fff;
  font: 1rem/1.45 "Source Sans 3", system-ui, "Segoe UI", Roboto, sans-serif; }
:lang(zh) body { font-family: "Source Sans 3", "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC",
  "Microsoft YaHei", sans-serif; }
.sheet + .sheet { margin-top: 3rem; border-top: 1px solid #9aa3af; padding-top: 2rem; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.3rem 2rem; }
h1 { margin: 0; font-size: 1.4rem; }
h2 { margin: 1.1rem 0 0.2rem; font-size: 1.05rem; }
p { margin: 0.3rem 0; overflow-wrap: anywhere; }
.small { font-size: 0.875rem; color: #4b5563; }
.table { overflow-x: auto; }
table { margin: 0.4rem 0; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #9aa3af; padding: 0.2rem 0.5rem; text-align: right;
  white-space: nowrap; }
th { font-weight: 600; background: #f3f4f6; }
tbody th { text-align: left; }
.gap { min-width: 5.5rem; height: 2rem; text-align: left; background: #fff;
  border: 2px solid #111827; }
.gap b { color: #7c3aed; }
.off { border-color: transparent; }
@page { size: A4; margin: 12mm; }
@media print {
  * { print-color-adjust: exact; }
  :root { font-size: 9pt; }
  body { max-width: none; padding: 0; line-height: 1.35; }
  h2 { margin-top: 0.8rem; }
  .sheet { break-inside: avoid; }
  .sheet + .sheet { margin: 0; padding: 0; border: 0; break-before: page; }
  .exercise { break-inside: avoid; }
}
"""


def sheet_file(trace: Trace, sheets: Sheets, solved: bool, language: str) -> bytes:
    """A page of sheets of a run, or of their solutions; printed, a sheet is a page."""
    title = _title(solved, language)
    written = "\n".join(
        _sheet(trace, seed, made, solved, language) for seed, made in sheets.items()
    )
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{written}\n</body>\n</html>\n"
    ).encode()


def _title(solved: bool, language: str) -> str:
    return say("exercises.solutions" if solved else "exercises.title", language)


def tolerance_text(exercise: Exercise, solved: bool, language: str) -> str:
    """How near an answer must be; of a solution where its numbers are read, too."""
    told = say("exercises.tolerance", language, tolerance=f"{exercise.tolerance:g}")
    return f"{told} {say('exercises.read', language, address=exercise.where)}" if solved else told


def gap_name(at: int) -> str:
    """The letter of a gap, counted over a sheet, from a on."""
    return chr(ord("a") + at)


def gap_starts(exercises: Iterable[Exercise]) -> list[int]:
    """How many gaps of a sheet stand before each exercise."""
    return [*accumulate((len(each.gaps) for each in exercises), initial=0)][:-1]


def task_text(exercise: Exercise, first: int, language: str) -> str:
    """What is asked. first: how many gaps stand before it on the sheet."""
    told = dict(exercise.facts)
    if "place" in told:
        told["place"] = _place(str(told["place"]), language)
    told |= {name: visible(str(told[name])) for name in WORDS if name in told}
    names = {f"gap{at + 1}": f"({gap_name(first + at)})" for at in range(len(exercise.gaps))}
    return say(f"exercises.{exercise.kind}_text", language, **told, **names)


def table_html(exercise: Exercise, first: int, solved: bool, language: str) -> str:
    """The numbers with their gaps. first: how many gaps stand before them on the sheet."""

    def cell(each: Cell) -> str:
        if each is None:
            return '<td class="off"></td>'
        if isinstance(each, str):
            return f"<td>{each}</td>"
        shown = f" <b>{exercise.gaps[each].shown}</b>" if solved else ""
        return f'<td class="gap">({gap_name(first + each)}){shown}</td>'

    head = "".join(f"<th>{_column(exercise, each, language)}</th>" for each in exercise.columns)
    rows = "".join(
        f"<tr><th>{escape(say(f'exercises.row_{name}', language))}</th>"
        f"{''.join(map(cell, row))}</tr>"
        for name, row in exercise.rows.items()
    )
    table = f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="table">{table}</div>'


def _exercise(number: int, exercise: Exercise, first: int, solved: bool, language: str) -> str:
    name = escape(say(f"exercises.{exercise.kind}", language))
    task, formula = escape(task_text(exercise, first, language)), FORMULAS[exercise.kind]
    return (
        f'<div class="exercise"><h2>{number} · {name}</h2><p>{task} {mathml(formula)}</p>'
        f"{table_html(exercise, first, solved, language)}"
        f'<p class="small">{escape(tolerance_text(exercise, solved, language))}</p></div>'
    )


def _sheet(
    trace: Trace, seed: int, exercises: tuple[Exercise, ...], solved: bool, language: str
) -> str:
    starts = gap_starts(exercises)
    inside = "".join(
        _exercise(at + 1, each, starts[at], solved, language) for at, each in enumerate(exercises)
    )
    facts = [
        say("exercises.run", language, sentence=trace.source_text or trace.output_text),
        say("exercises.rounding", language, digits=DIGITS),
        say("exercises.model", language, model=trace.model_name) if trace.model_name else "",
        "" if solved else say("exercises.check_there", language, seed=seed),
    ]
    name = "" if solved else f"<p>{escape(say('exercises.name', language))} {'_' * 24}</p>"
    title = f"{_title(solved, language)} · {say('exercises.sheet', language, seed=seed)}"
    return (
        f'<section class="sheet"><div class="head"><h1>{escape(title)}</h1>{name}</div>'
        f'<p class="small" dir="auto">{escape(" ".join(facts))}</p>{inside}</section>'
    )


def _place(where: str, language: str) -> str:
    """As the Tensors page names it: "Encoder › Layer 1 › Self-attention"."""

    def named(branch: str) -> str:
        last = Address.of(branch).last
        if last.isdecimal():
            return say("tensors.layer", language, layer=int(last) + 1)
        return say(f"tensors.place_{last}", language)

    return " › ".join(map(named, Address.of(f"{where}/x").branches))


def _column(exercise: Exercise, name: str, language: str) -> str:
    if name in COLUMNS.get(exercise.kind, ()):
        return escape(say(f"exercises.column_{name}", language, **exercise.facts))
    if exercise.kind in ("score", "norm"):
        return escape(say("exercises.column_feature", language, feature=name))
    return f"<bdi>{escape(visible(name))}</bdi>"
