"""Which axes of a tensor are drawn, and where the others are held."""

from __future__ import annotations

import streamlit as st

from app import state
from app.figures.labels import visible
from app.widgets.pick import into, segments
from app.widgets.tensors.written import axis_name
from app.words import say
from core.reading.sheets import Lines, Plan, Sheet, Side, cut, largest, offered, plan, window
from core.trace.sites import Axis
from core.trace.trace import Trace

WIDEST = 256  # lines of a picture; more are pooled
LARGEST = 24  # vocabulary words offered by value
BY_VALUE, ALL = -2, -1
WIDTHS = (70, 30)  # of the picture and what explains it
FORMS = ("picture", "table", "exact")


def planned(trace: Trace, address: str) -> Plan:
    """The plan that the state asks for. The head is the one in focus on every page."""
    now = state.get_state()
    return plan(trace, address, now.axes, {"head": now.head or 0} | dict(now.pins))


def show(trace: Trace, address: str, chosen: Plan, with_forms: bool = True) -> Sheet:
    """Draw the choice of axes, of the held index or the lines, and of the form; cut the sheet."""
    now = state.get_state()
    left, form = st.columns(WIDTHS, gap="medium")
    rows, columns, held = left.columns([1, 1, 1.7])
    names = [axis.name for axis in offered(trace, address)]
    if chosen.columns is not None:
        pair = chosen.rows.name, chosen.columns.name
        for side, column in (("rows", rows), ("columns", columns)):
            with column:
                _axis_choice(side, names, pair)  # type: ignore[arg-type]
    forms = {each: say(f"tensors.form_{each}") for each in FORMS}
    if with_forms:
        with form:
            segments("form", say("tensors.form"), forms, now.form, into("form"), bare=False)
    with held:
        for axis, index in chosen.held:
            _pin(axis, index)
        return _fitted(cut(trace, address, chosen))


def _axis_choice(side: Side, names: list[str], pair: tuple[str, str]) -> None:
    name = f"tensor_{side}"
    labels = {each: say(f"axes.{each}") for each in names}
    st.selectbox(
        say(f"tensors.{side}"),
        names,
        key=state.bind(name, pair[0 if side == "rows" else 1]),
        format_func=labels.__getitem__,
        on_change=lambda: take_axis(side, state.widget_value(name), pair),
    )


def take_axis(side: Side, name: str, pair: tuple[str, str]) -> None:
    """Draw another axis on a side; an axis that lies on the other side changes places."""
    rows, columns = pair
    if side == "rows":
        state.update(axes=(name, rows if name == columns else columns))
    else:
        state.update(axes=(columns if name == rows else rows, name))


def _pin(axis: Axis, index: int) -> None:
    if axis.size == 1:
        st.caption(say("tensors.only", axis=axis_name(axis)))
        return
    name, word = f"tensor_pin_{axis.name}", axis_name(axis)
    labels = [f"{word} {line_label(axis, at)}" for at in range(axis.size)]
    st.select_slider(
        say("tensors.held", axis=word),
        range(axis.size),
        key=state.bind(name, index),
        format_func=labels.__getitem__,
        on_change=lambda: take_pin(axis.name, state.widget_value(name)),
    )


def take_pin(axis: str, index: int) -> None:
    """Hold an axis somewhere else; the head is in focus on all pages."""
    if axis == "head":
        state.update(head=index)
    else:
        others = tuple(pin for pin in state.get_state().pins if pin[0] != axis)
        state.update(pins=(*others, (axis, index)))


def line_label(axis: Axis, at: int) -> str:
    """A place on an axis: "3", "3 animal"."""
    if axis.labels is None:
        return str(at + 1)
    return f"{at + 1} {visible(axis.labels[at])}"


def _fitted(sheet: Sheet) -> Sheet:
    """The part of a sheet that the reader chooses of its long axes; draws the choice."""
    if _is_long(sheet.rows):
        sheet = _fit(sheet, "rows", sheet.rows)
    if _is_long(sheet.columns):
        sheet = _fit(sheet, "columns", sheet.columns)
    return sheet


def _is_long(lines: Lines) -> bool:
    return len(lines) > (LARGEST if _is_vocabulary(lines) else WIDEST)


def _is_vocabulary(lines: Lines) -> bool:
    return lines.axis is not None and lines.axis.name == "vocabulary"


def _fit(sheet: Sheet, side: Side, lines: Lines) -> Sheet:
    assert lines.axis is not None  # a sheet of one column is not long
    axis = lines.axis.name
    offers = parts(len(lines), _is_vocabulary(lines))
    labels = {each: part_label(each, len(lines)) for each in offers}
    wanted = dict(state.get_state().part).get(axis, offers[0])
    name = f"tensor_part_{axis}"
    part = st.selectbox(
        say("tensors.part", axis=axis_name(lines.axis)),
        offers,
        key=state.bind(name, wanted if wanted in offers else offers[0]),
        format_func=labels.__getitem__,
        on_change=lambda: take_part(axis, state.widget_value(name), offers[0]),
    )
    return taken(sheet, side, part)


def take_part(axis: str, part: int, first: int) -> None:
    """Show another part of a long axis; what is offered first stays out of links."""
    others = tuple(each for each in state.get_state().part if each[0] != axis)
    state.update(part=others if part == first else (*others, (axis, part)))


def parts(count: int, by_value: bool) -> list[int]:
    """What of a long axis can be shown: the largest, all, or the first line of each piece of it."""
    pieces = list(range(0, count, WIDEST)) if count > WIDEST else []
    return [*([BY_VALUE] if by_value else []), ALL, *pieces]


def part_label(part: int, count: int) -> str:
    """A part in words: "the 24 largest", "all 512", "257–512"."""
    if part == BY_VALUE:
        return say("tensors.part_largest", count=LARGEST)
    if part == ALL:
        return say("tensors.part_all", count=count)
    return f"{part + 1}–{min(part + WIDEST, count)}"


def taken(sheet: Sheet, side: Side, part: int) -> Sheet:
    """The part of a sheet."""
    if part == BY_VALUE:
        return largest(sheet, side, LARGEST)
    return sheet if part == ALL else window(sheet, side, part, part + WIDEST - 1)
