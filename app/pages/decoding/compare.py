"""The Decoding page for two runs: what each wrote at every step, and what else it might be."""

import math
from html import escape

import streamlit as st

from glassformer.app.pages.decoding.figures.steps import LEFT, beside_steps, step_name
from glassformer.app.panels.compare.wording import titles
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.memory import Pair
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.style import put_sheet
from glassformer.app.words import say
from glassformer.core.analysis.choices import choice_at, chosen_otherwise
from glassformer.core.interventions.translations import TranslatedWord, align_words
from glassformer.core.trace.trace import Trace

OTHERS = 3  # runners-up of a step
HEIGHT = 240  # the least
WIDEST = 200  # pixels of a step in a wide window


def show(pair: Pair) -> None:
    """Draw both timelines, step beside step."""
    put_sheet(__file__, "decoding.css")
    st.markdown(f"**{say('beside.steps_title')}**")
    look, runs = current_look(), (pair.first, pair.second)
    steps = align_words(*runs)
    widest = look.px(LEFT + WIDEST * len(steps))
    with box("across", "beside_steps", width=widest):
        st.html(steps_grid(runs, titles(pair), look))
    st.caption(" ".join(run_notes(runs)))
    st.markdown(f"**{say('beside.steps_chart')}**")
    with box("fill", "beside_steps_bars", width=widest):
        figure = beside_steps(steps, titles(pair), look, look.px(HEIGHT))
        show_chart(figure, "beside_steps_chart", say("beside.steps_alt"), fill=True)


def run_notes(runs: tuple[Trace, Trace]) -> list[str]:
    """How to read the table, and what is unusual about these two runs."""
    named = map(step_name, align_words(*runs))
    parts = [say("beside.steps_note")]
    if any("|" in name for name in named):
        parts.append(say("beside.steps_apart"))
    if any(map(chosen_otherwise, runs)):
        parts.append(say("beside.chosen_otherwise"))
    return parts


def steps_grid(runs: tuple[Trace, Trace], names: tuple[str, str], look: FigureStyle) -> str:
    """A column a step: the words of the first run, how far apart, the words of the second."""
    steps = align_words(*runs)
    named = (say("beside.steps_step", step=step_name(each)) for each in steps)
    heads = [f"<th scope='col'>{escape(name)}</th>" for name in named]
    rows = [f"<tr><td class='name'></td>{''.join(heads)}</tr>"]
    for run, name in enumerate(names):
        cells = "".join(_step(runs, run, each, look) for each in steps)
        rows.append(f"<tr class='run'><th scope='row'>{escape(name)}</th>{cells}</tr>")
    kls = "".join(f"<td class='kl'>{_nats(each, look.precision)}</td>" for each in steps)
    rows.insert(2, f"<tr><th scope='row'>{escape(say('beside.words_kl'))}</th>{kls}</tr>")
    columns = f"--columns: {len(steps)}"
    return f"<table class='beside-steps' style='{columns}'>{''.join(rows)}</table>"


def _step(runs: tuple[Trace, Trace], run: int, step: TranslatedWord, look: FigureStyle) -> str:
    row = (step.before_row, step.after_row)[run]
    if row is None:
        return f"<td class='none'>{escape(say('beside.words_none'))}</td>"
    choice = choice_at(runs[run], row, OTHERS)
    changed = run == 1 and step.kind in ("other", "new")
    colour = look.colour("changed" if changed else "text")
    chance = choice.chosen.probability
    wide = 0.0 if math.isnan(chance) else 100 * chance
    others = "".join(
        f"<div class='other'><span>{escape(visible(each.token))}</span>"
        f"<em>{escape(format_percent(each.probability))}</em></div>"
        for each in choice.others
    )
    bar = f"<i style='width:{wide:.1f}%;background:{look.colour('data')}'></i>"
    return (
        f"<td><b style='color:{colour}'>{escape(visible(choice.chosen.token))}</b>"
        f"<div class='chance'>{bar}</div><div>{escape(format_percent(chance))}</div>{others}</td>"
    )


def _nats(step: TranslatedWord, digits: int) -> str:
    if step.divergence is None:
        return escape(say("beside.words_none"))
    written = escape(format_number(step.divergence, digits))
    return written if step.same_prefix else f"<span class='apart'>{written}</span>"
