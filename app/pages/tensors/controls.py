"""What is picked: a tensor in the tree of all, its axes that are drawn, where others are held."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from glassformer.app.panels.address_words import (
    axis_name,
    branch_names,
    format_bytes,
    numbers_line,
    short_shape,
)
from glassformer.app.plots.labels import visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.component import component, json_bytes
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, menu, set_field, small_button
from glassformer.app.words import say, say_each
from glassformer.core.analysis.measure import Measure, Measured, measure_addresses
from glassformer.core.analysis.tensor_slice import (
    Lines,
    Plan,
    Sheet,
    Side,
    cut_sheet,
    largest_lines,
    plan_sheet,
    sheet_axes,
    sheet_window,
)
from glassformer.core.trace.sites import Axis
from glassformer.core.trace.trace import Trace

FIRST = "encoder/0/self_attention/weights"
ALONE = "decoder/0/self_attention/weights"  # of a decoder alone
WIDEST = 256  # lines of a picture; more are pooled
LARGEST = 24  # vocabulary words offered by value
BY_VALUE, ALL = -2, -1
ASKED = ("address", "axes", "pins", "part", "form", "trail")  # of the state: a tensor, a look at it
WIDTHS = (70, 30)  # of the picture and what explains it
FORMS = ("picture", "table", "exact")
TEXTS = "tensors.tree tensors.search tensors.nothing tensors.shared tensors.legend"

_tree = component(__file__, "address_tree")  # searchable
_picked = component(__file__, "picked_address")


def address_on_screen(trace: Trace) -> str:
    """The address on screen; attention weights before the reader picks."""
    wanted = (store.get_state().address, FIRST, ALONE)
    return next(each for each in wanted if each in trace)


def nothing_picked() -> bool:
    """Whether neither a tensor nor a way to look at one was asked for: a few are shown then."""
    return store.get_state().given.isdisjoint(ASKED)


def show_tree(trace: Trace, look: FigureStyle, chosen: str) -> None:
    """Draw the tree under the memory that the whole run takes; chosen: the address in it."""
    entries = entries_of(trace)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", wrap=False):
        st.markdown(
            say("tensors.total", count=len(entries), memory=format_bytes(trace.nbytes)),
            help=say("tensors.total_help"),
        )
        if chosen:
            sign, about = ":material/grid_view:", say("tensors.telling_back")
            small_button(sign, "tensors_telling", about, show_telling)
    precision, language = look.precision, store.get_state().language
    data = store.once(
        lambda: json_bytes(_tree_data(entries, precision, chosen)), entries, precision, language
    )
    with box("fill tall", "tensors_tree"):
        _tree("address_tree", data, height="stretch", pick=pick_tensor)
        _picked("bridge_address", {"address": chosen})


def _tree_data(entries: Sequence[Measured], precision: int, chosen: str) -> dict[str, Any]:
    """Of a run always the same: Streamlit sends it once; what is picked later is told apart."""
    return {
        "lines": [tree_line(entry, precision) for entry in entries],
        "places": branch_names([entry.address for entry in entries]),
        "picked": chosen,
        "texts": say_each(TEXTS),
    }


def show_telling() -> None:
    """Go back to the few telling tensors."""
    store.update(**{name: getattr(State, name) for name in ASKED})


def pick_tensor(address: str) -> None:
    """Show another tensor: with its own axes, the pins kept where they fit."""
    store.update(address=address, axes=None)


def entries_of(trace: Trace) -> tuple[Measured, ...]:
    """The numbers of every address, measured once for each run that this session looks at."""
    return store.once(lambda: measure_addresses(trace), trace)


def measure_of(trace: Trace, address: str) -> Measure:
    """The statistics of one tensor."""
    return next(entry.measure for entry in entries_of(trace) if entry.address == address)


def tree_line(entry: Measured, digits: int) -> list[Any]:
    """An address in the tree: as a list, as names would double what is sent to the browser.

    What it is in words, shape, numbers (extremes, mean, deviation), memory, spark (a hexadecimal
    digit a bar), role, and whether it takes no memory of its own.
    """
    site = entry.site
    words, numbers = say(site.text_key), numbers_line(entry.measure, digits)
    shape, memory = short_shape(entry.shape), format_bytes(entry.nbytes)
    return [entry.address, words, shape, numbers, memory, entry.spark, site.role, entry.shared]


def plan_of_state(trace: Trace, address: str, state: State | None = None) -> Plan:
    """The plan that a state asks for. The head is the one in focus on every page.

    state: that of the session unless given.
    """
    now = state or store.get_state()
    return plan_sheet(trace, address, now.axes, {"head": now.head or 0} | dict(now.pins))


def show(trace: Trace, address: str, chosen: Plan, with_forms: bool = True) -> Sheet:
    """Draw the choice of axes, of the held index or the lines, and of the form; cut the sheet."""
    now = store.get_state()
    left, form = st.columns(WIDTHS, gap="medium")
    rows, columns, held = left.columns([1, 1, 1.7])
    names = [axis.name for axis in sheet_axes(trace, address)]
    if chosen.columns is not None:
        pair = chosen.rows.name, chosen.columns.name
        labels = {each: say(f"axes.{each}") for each in names}
        with rows:
            menu("tensor_rows", say("tensors.rows"), labels, pair[0],
                 lambda name: take_axis("rows", name, pair), bare=False)  # fmt: skip
        with columns:
            menu("tensor_columns", say("tensors.columns"), labels, pair[1],
                 lambda name: take_axis("columns", name, pair), bare=False)  # fmt: skip
    if with_forms:
        with form:
            draw_choice("form", "tensors.form", FORMS, now.form, set_field("form"), bare=False)
    with held:
        for axis, index in chosen.held:
            _pin(axis, index)
        sheet = cut_sheet(trace, address, chosen)
        for lines in (sheet.rows, sheet.columns):
            _pick_part(lines)
        return fit_sheet(sheet, now)


def fit_sheet(sheet: Sheet, now: State) -> Sheet:
    """The part of a sheet that a state has of its long axes."""
    return _fitted(_fitted(sheet, "rows", now), "columns", now)


def take_axis(side: Side, name: str, pair: tuple[str, str]) -> None:
    """Draw another axis on a side."""
    store.update(axes=pair_with(side, name, pair))


def pair_with(side: Side, name: str, pair: tuple[str, str]) -> tuple[str, str]:
    """The rows and columns once a side has an axis: one that lies on the other changes places."""
    rows, columns = pair
    if side == "rows":
        return name, rows if name == columns else columns
    return columns if name == rows else rows, name


def _pin(axis: Axis, index: int) -> None:
    if axis.size == 1:
        st.caption(say("tensors.only", axis=axis_name(axis)))
        return
    name, word = f"tensor_pin_{axis.name}", axis_name(axis)
    labels = [f"{word} {line_label(axis, at)}" for at in range(axis.size)]
    st.select_slider(
        say("tensors.held", axis=word),
        range(axis.size),
        **store.bind(name, index),
        format_func=labels.__getitem__,
        on_change=lambda: take_pin(axis.name, store.widget_value(name)),
    )


def take_pin(axis: str, index: int) -> None:
    """Hold an axis somewhere else; the head is in focus on all pages."""
    store.update(**pinned_at(store.get_state(), axis, index))


def pinned_at(now: State, axis: str, index: int) -> dict[str, Any]:
    """What of the state is other once an axis is held somewhere else."""
    if axis == "head":
        return {"head": index}
    return {"pins": (*(pin for pin in now.pins if pin[0] != axis), (axis, index))}


def line_label(axis: Axis, at: int) -> str:
    """A place on an axis: "3", "3 animal"."""
    if axis.labels is None:
        return str(at + 1)
    return f"{at + 1} {visible(axis.labels[at])}"


def _fitted(sheet: Sheet, side: Side, now: State) -> Sheet:
    lines = sheet.rows if side == "rows" else sheet.columns
    if lines.axis is None or not (offers := parts_offered(lines.axis)):
        return sheet
    part = _part_chosen(lines.axis.name, offers, now)
    if part == BY_VALUE:
        return largest_lines(sheet, side, LARGEST)
    return sheet if part == ALL else sheet_window(sheet, side, part, part + WIDEST - 1)


def parts_offered(axis: Axis) -> list[int]:
    """What of an axis can be chosen; nothing where all of it has room."""
    by_value = axis.name == "vocabulary"
    fits = axis.size <= (LARGEST if by_value else WIDEST)
    return [] if fits else axis_parts(axis.size, by_value)


def _part_chosen(axis: str, offers: Sequence[int], now: State) -> int:
    wanted = dict(now.part).get(axis, offers[0])
    return wanted if wanted in offers else offers[0]


def _pick_part(lines: Lines) -> None:
    """Draw the choice of a part of a long axis."""
    if lines.axis is None or not (offers := parts_offered(lines.axis)):
        return
    axis = lines.axis.name
    menu(
        f"tensor_part_{axis}",
        say("tensors.part", axis=axis_name(lines.axis)),
        {each: part_label(each, len(lines)) for each in offers},
        _part_chosen(axis, offers, store.get_state()),
        lambda chosen: take_part(axis, chosen, offers[0]),
        bare=False,
    )


def take_part(axis: str, part: int, first: int) -> None:
    """Show another part of a long axis."""
    store.update(part=parts_with(store.get_state(), axis, part, first))


def parts_with(now: State, axis: str, part: int, first: int) -> tuple[tuple[str, int], ...]:
    """The parts of long axes with one chosen; what is offered first stays out of links."""
    others = tuple(each for each in now.part if each[0] != axis)
    return others if part == first else (*others, (axis, part))


def axis_parts(count: int, by_value: bool) -> list[int]:
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
