"""Which word made this word: the exact shares of all words, and beside them what others say."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np
import streamlit as st

from glassformer.app.plots.labels import format_number, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.layout import box
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.word_attribution import (
    METHODS,
    SIGNED,
    Method,
    WordAttribution,
    WordQuestion,
    attribute_words,
    bytes_with_graph,
)
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

WIDTH = "minmax(6.2rem, 1fr)"  # of a method's column
REST = ("positions", "biases", "switched", "baseline")
NAMED = 2  # words that the sentence names
MOST_BYTES = 2**30  # that one explanation may take on the server


@dataclass(frozen=True)
class Question:
    """One written word of a run, and what each method says of it."""

    trace: Trace
    model: Transformer
    edits: tuple[Edit, ...]
    row: int
    look: FigureStyle

    @cached_property
    def found(self) -> dict[Method, WordAttribution]:
        """By method; computed when the panel is looked at, once for a row."""
        if bytes_with_graph(self.trace) > MOST_BYTES:
            raise GlassformerError("attribution_too_long", given=len(self.trace.target_tokens))

        def attribute() -> dict[Method, WordAttribution]:
            word = self.trace.output_ids[self.row]
            asked = WordQuestion.of_word(self.trace, self.model, self.row, word, edits=self.edits)
            return {method: attribute_words(asked, method) for method in METHODS}

        return store.once(attribute, self.trace, self.row)

    @property
    def exact(self) -> WordAttribution:
        """The split that adds up to the logit."""
        return self.found["exact"]

    @property
    def written(self) -> str:
        """The word that is asked for, as it is shown."""
        return visible(self.trace.output_tokens[self.row])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words that may have made it: of the source, then those that the row has read."""
        return (*map(visible, self.exact.source_words), *map(visible, self.read))

    @property
    def read(self) -> tuple[str, ...]:
        """The words of the target that the row has read."""
        return self.exact.target_words[: self.row + 1]

    def values(self, method: Method) -> np.ndarray:
        """A number for each of `words`."""
        found = self.found[method]
        return np.concatenate([found.source, found.target[: len(self.read)]])

    def number(self, value: float, signed: bool = True) -> str:
        """A number to the reader's digits, with its sign."""
        written = self.look.number(value)
        return f"+{written}" if signed and value > 0 else written


def show(asked: Question) -> None:
    """Draw the sentence, the coloured words, the table of all methods, and what it does not say."""
    put_sheet(__file__, "which_word.css")
    asked.found  # noqa: B018, errors come before anything is drawn
    with st.container(key="which_word", gap="xsmall"):
        st.markdown(describe_split(asked) + say("language.gap") + describe_agreement(asked))
        st.html(words_html(asked))
        row = {"horizontal": True, "vertical_alignment": "center", "gap": "small", "wrap": False}
        with box("dense", "which_word_note", **row):
            st.caption(describe_sum(asked), width="stretch")
            with st.popover(say("which_word.methods"), icon=":material/help:"):
                for method in METHODS:
                    st.markdown(f"**{say(NAMES[method])}**: {say(ABOUT[method])}")
    with box("fill scroll", "which_word_table"):
        _table(asked)


NAMES: dict[Method, str] = {
    "exact": "which_word.method_exact",
    "saliency": "which_word.method_saliency",
    "input_x_gradient": "which_word.method_input_x_gradient",
    "integrated_gradients": "which_word.method_integrated_gradients",
    "gradient_attention": "which_word.method_gradient_attention",
    "attention": "which_word.method_attention",
    "rollout": "which_word.method_rollout",
}
ABOUT: dict[Method, str] = {
    "exact": "which_word.about_exact",
    "saliency": "which_word.about_saliency",
    "input_x_gradient": "which_word.about_input_x_gradient",
    "integrated_gradients": "which_word.about_integrated_gradients",
    "gradient_attention": "which_word.about_gradient_attention",
    "attention": "which_word.about_attention",
    "rollout": "which_word.about_rollout",
}


def describe_split(asked: Question) -> str:
    """Which words speak most for the written word, and what most against it, as markdown."""
    values, words = asked.values("exact"), asked.words
    order = np.argsort(-values, kind="stable")
    leading = [int(at) for at in order[:NAMED] if values[at] > 0]
    most_against = int(order[-1])
    given = {"word": literal(asked.written), "logit": asked.number(asked.exact.value, signed=False)}
    if not leading:
        return say("which_word.said_none", **given)
    each = [
        say("which_word.said_word", word=literal(words[at]), value=asked.number(values[at]))
        for at in leading
    ]
    said = say("which_word.said", because=say("which_word.said_and").join(each), **given)
    if values[most_against] < 0:
        value = asked.number(values[most_against])
        said += say("language.gap") + say(
            "which_word.said_against", word=literal(words[most_against]), value=value
        )
    return said


def describe_agreement(asked: Question) -> str:
    """How many methods put the same word first, and which words the others name."""
    first = {method: int(asked.values(method).argmax()) for method in METHODS}
    word = first["exact"]
    others = Counter(at for at in first.values() if at != word)
    agreeing = sum(at == word for at in first.values())
    said = say(
        "which_word.agree", count=agreeing, all=len(METHODS), word=literal(asked.words[word])
    )
    if not others:
        return say("which_word.agree_all", word=literal(asked.words[word]))
    names = [
        say(
            "which_word.other_word",
            word=literal(asked.words[at]),
            methods=say("language.comma").join(say(NAMES[m]) for m in METHODS if first[m] == at),
        )
        for at, _ in others.most_common()
    ]
    return said + say("which_word.but").format(others=say("language.comma").join(names))


def describe_sum(asked: Question) -> str:
    """That the exact shares add up to the recorded logit, and what they do not show."""
    exact, path = asked.exact, asked.found["integrated_gradients"]
    added = say(
        "which_word.added",
        logit=asked.number(exact.value, signed=False),
        error=format_number(exact.error, 1),
        path=asked.look.number(path.error),
    )
    return say("language.gap").join([added, say("which_word.not_shown")])


def words_html(asked: Question) -> str:
    """Both sentences, each word in the colour and with the number of its exact share."""
    values = asked.values("exact")
    end = float(np.abs(values).max(initial=0.0)) or 1.0
    chips = [
        _chip(word, asked.number(value), value / end)
        for word, value in zip(asked.words, values.tolist(), strict=True)
    ]
    count = len(asked.exact.source_words)
    rest = [
        _chip(say(IN_NO_WORD[name]), asked.number(value), value / end)
        for name, value in asked.exact.rest.items()
    ]
    lines = [
        (say("which_word.source"), chips[:count]),
        (say("which_word.target"), chips[count:]),
        (say("which_word.in_no_word"), rest),
    ]
    rows = "".join(
        f"<p><span>{escape(name)}</span>{''.join(line)}</p>" for name, line in lines if line
    )
    return f'<div class="which-word">{rows}</div>'


def _chip(word: str, number: str, share: float) -> str:
    role = "query" if share < 0 else "key"
    tint = f"--role: var(--{role}); --w: {50 * min(1.0, abs(share)):.0f}%"
    return f'<b style="{tint}"><bdi>{escape(word)}</bdi><i>{escape(number)}</i></b>'


def _table(asked: Question) -> None:
    """A row a word, a column a method, all bars of a method to one scale."""
    columns = [Column(say("which_word.column_word"), "minmax(5rem, auto)")]
    for method in METHODS:
        rest = asked.found[method].rest.values() if method == "exact" else ()
        values = asked.values(method)
        end = max([float(np.abs(values).max(initial=0.0)), *map(abs, rest)]) or 1.0
        columns.append(
            Column(say(NAMES[method]), WIDTH, end, signed=method in SIGNED, help=say(ABOUT[method]))
        )
    count = len(asked.exact.source_words)
    lines = [_word_row(asked, at) for at in range(len(asked.words))]
    heads = [(say("which_word.source"), lines[:count]), (say("which_word.target"), lines[count:])]
    rows = [
        row
        for at, (name, some) in enumerate(heads)
        for row in ([Row(-1 - at, [name], [], head=True), *some] if some else [])
    ]
    rows.append(Row(-3, [say("which_word.in_no_word")], [], head=True))
    rows += [_rest_row(asked, name) for name in REST if _has(asked, name)]
    rows.append(_total_row(asked))
    bar_table("which_word_bars", columns, rows)


def _word_row(asked: Question, at: int) -> Row:
    values = [float(asked.values(method)[at]) for method in METHODS]
    texts = [
        asked.number(value, method in SIGNED) for method, value in zip(METHODS, values, strict=True)
    ]
    return Row(at, [asked.words[at], *texts], [None, *values], title=asked.words[at])


def _has(asked: Question, name: str) -> bool:
    return any(name in each.rest for each in asked.found.values())


def _rest_row(asked: Question, name: str) -> Row:
    values = [asked.found[method].rest.get(name) for method in METHODS]
    return _sparse(asked, -10 - REST.index(name), say(IN_NO_WORD[name]), values)


IN_NO_WORD = {
    "positions": "which_word.rest_positions",
    "biases": "which_word.rest_biases",
    "switched": "which_word.rest_switched",
    "baseline": "which_word.rest_baseline",
}


def _total_row(asked: Question) -> Row:
    totals = [each.total if each.adds_up else None for each in asked.found.values()]
    row = _sparse(asked, -20, say("which_word.total"), totals)
    return Row(row.key, row.texts, [None] * len(row.values), chosen=True)


def _sparse(asked: Question, key: int, name: str, values: Sequence[float | None]) -> Row:
    texts = ["" if value is None else asked.number(value) for value in values]
    return Row(key, [name, *texts], [None, *values])
