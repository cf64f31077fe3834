"""Why here: what wrote the query × what wrote the key, for the cell in focus."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from glassformer.app.panels.attention.focus import AttentionFocus
from glassformer.app.plots.labels import format_number
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import attention_at
from glassformer.core.analysis.score_parts import (
    ScorePart,
    ScoreParts,
    ScoreWriters,
    Writer,
    score_writers,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.address import Address

TENSORS_PAGE = "app/pages/tensors/page.py"
SHOWN = 6  # parts that stand by themselves
KEY = "attention_writers"
REST = -1  # the row of all smaller parts


@dataclass(frozen=True)
class Told:
    """The parts of the cell in focus, and the words of it."""

    focus: AttentionFocus
    found: ScoreParts

    @property
    def largest(self) -> tuple[ScorePart, ...]:
        """Those that stand by themselves, the largest against the row's mean first."""
        return self.found.parts[:SHOWN]

    def number(self, value: float) -> str:
        """A number to the reader's digits, with its sign."""
        return f"+{self.focus.look.number(value)}" if value > 0 else self.focus.look.number(value)


def show(focus: AttentionFocus, head: int) -> None:
    """Draw the sentence, the largest parts against the row's mean, and that they add up."""
    if store.trigger(KEY, "link") is not None:
        st.switch_page(TENSORS_PAGE)
    try:
        told = Told(focus, writers_of(focus, head).of_key(focus.cell[1]))
    except GlassformerError as error:  # of a file's run without its model
        st.warning(format_error(error))
        return
    st.markdown(describe_parts(told))
    _bars(told)
    st.caption(describe_sum(told))


def writers_of(focus: AttentionFocus, head: int) -> ScoreWriters:
    """What wrote the query in focus, and all keys of its row: computed once for a row."""
    place, query = attention_at(focus.kind, focus.now.layer), focus.cell[0]
    model = on_screen.model_on_screen().transformer
    return store.once(
        lambda: score_writers(focus.trace, model, place, head, query),
        focus.trace, place, head, query,
    )  # fmt: skip


def describe_parts(told: Told) -> str:
    """Why the query looks there, more than at its other words or less, as markdown."""
    found, (query, key) = told.found, map(literal, told.focus.words)
    more = found.difference >= 0
    leading = [part for part in found.parts if (part.against_mean >= 0) == more][:2]
    if not leading:
        return say("writers.said_nothing", query=query, key=key)
    said = [
        say(
            "writers.said_part" if part.query else "writers.said_distance",
            asks=_name(part.query, "query"),
            answers=_name(part.key, "key"),
            value=told.number(part.against_mean),
        )
        for part in leading
    ]
    because = say("writers.said_then").join(said)
    return say(f"writers.said_{'more' if more else 'less'}", query=query, key=key, because=because)


def describe_sum(told: Told) -> str:
    """That the parts add up to the recorded score, and what this does not show."""
    found, number = told.found, told.focus.look.number
    added = say(
        "writers.added",
        mean=number(found.row_mean),
        difference=told.number(found.difference),
        score=number(found.score),
        error=format_number(found.error, 1),
    )
    hidden = [] if told.focus.view.allowed[found.at] else [say("writers.forbidden")]
    return say("language.gap").join([added, *hidden, say("writers.not_shown")])


def _bars(told: Told) -> None:
    parts, found = told.largest, told.found
    rest = found.difference - sum(part.against_mean for part in parts)
    count = len(found.parts) - len(parts)
    sizes = [abs(part.against_mean) for part in parts]
    end = max([*sizes, abs(rest)], default=0.0) or 1.0
    columns = [
        Column(say("writers.column_query"), "minmax(0, 1fr)", links=True),
        Column(say("writers.column_key"), "minmax(0, 1fr)", links=True),
        Column(say("writers.column_adds"), "minmax(6.5rem, 1fr)", end, signed=True,
               help=say("writers.column_adds_help")),
    ]  # fmt: skip
    rows = [_row(told, at, part) for at, part in enumerate(parts)]
    others = say("writers.rest", count=count)
    rows.append(Row(REST, [others, "", told.number(rest)], [None, None, rest]))
    together = [say("writers.together"), "", told.number(found.difference)]
    rows.append(Row(REST - 1, together, [None, None, found.difference], chosen=True))
    bar_table(KEY, columns, rows, on_link=lambda at, column: _follow(told, parts, at, column))


def _row(told: Told, at: int, part: ScorePart) -> Row:
    number = told.number(part.against_mean)
    if part.query is None or part.key is None:
        return Row(at, [say("writers.distance"), "", number], [None, None, part.against_mean])
    texts = [_short(part.query), _short(part.key)]
    title = say(
        "writers.row",
        asks=_name(part.query, "query"),
        answers=_name(part.key, "key"),
        value=told.number(part.value),
        apart=number,
    )
    return Row(at, [*texts, number], [0.0, 0.0, part.against_mean], title=title)


def _follow(told: Told, parts: Sequence[ScorePart], at: int, column: int) -> None:
    """To the tensor that a writer wrote, at the word of the query or of the key."""
    if not 0 <= at < len(parts) or column not in (0, 1):
        return
    writer = (parts[at].query, parts[at].key)[column]
    if writer is None:
        return
    here = Address.of(writer.address)
    pins = () if writer.head is None else (("head", writer.head),)
    store.update(address=writer.address, pins=pins, axes=None, part=(), form="picture",
                 token=(here.side, told.found.at[column]))  # fmt: skip


def _short(writer: Writer) -> str:
    """A writer in a word or two, its layer from 1: "head 1·2", "feed-forward 1"."""
    at = Address.of(writer.address)
    layer = "" if at.layer is None else str(at.layer + 1)
    if writer.name == "head":
        key = "writers.short_cross" if at.is_cross else "writers.short_head"
        return say(key, layer=layer, head=(writer.head or 0) + 1)
    return say(f"writers.short_{writer.name}", layer=layer).strip()


def _name(writer: Writer | None, side: str) -> str:
    """A writer in words: "its own word", "layer 1 · self-attention, head 2"."""
    if writer is None:
        return say("writers.distance")
    at = Address.of(writer.address)
    if writer.name == "bias":
        return say("writers.name_bias_query" if side == "query" else "writers.name_bias_key")
    if at.layer is None or writer.name == "switched":
        return say(f"writers.name_{writer.name}")
    part, number = say(f"writers.part_{at.sublayer}"), {"layer": at.layer + 1}
    if writer.name == "head":
        key = "writers.name_cross_head" if at.is_cross else "writers.name_head"
        return say(key, head=(writer.head or 0) + 1, **number)
    if writer.name == "norm_shift":
        return say("writers.name_shift", part=part, **number)
    if writer.name.endswith("_bias"):
        return say("writers.name_bias", part=part, **number)
    return say("writers.name_part", part=part, **number)
