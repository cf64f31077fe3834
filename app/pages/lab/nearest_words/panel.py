"""How alike two words are in the model's table, and their nearest words."""

from functools import partial
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.nearest_words.figures import neighbours_figure, vectors_table
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.nearest_words import ORIGINS, TABLES, Likeness, word_likeness
from glassformer.core.text.vocabulary import RESERVED, Vocabulary

Pair = tuple[int, int]


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("nearest_words")
    whose.tell_stand_in()
    model: Any = whose.bench_model()  # a translator
    vocabulary: Vocabulary = model.tokenizer.vocabulary
    fields = [
        Field("first", "", texts["entry_first"], "words", "query", wide=8),
        Field("second", "", texts["entry_second"], "words", "key", wide=8),
        Field("trained", "", "trained", "choice", options=TABLES),
        Field("origin", "", "zero", "choice", "weights", options=ORIGINS),
    ]
    table = model.transformer.source_embedding.table.weight
    answer = kit.compute_from_inputs("nearest_words", fields, partial(_alike, table, vocabulary))
    pair, found = answer.result
    st.html(vectors_table(found, len(vocabulary), texts, look))
    st.markdown(_verdict(pair, found, vocabulary))
    columns = st.columns(2, gap="medium")
    for at, (side, column) in enumerate(zip(found.nearest, columns, strict=True)):
        ids = [each for each, _ in side]
        words = [vocabulary.pieces[each] for each in ids]
        marked = ids.index(pair[1 - at]) if pair[1 - at] in ids else None
        word = visible(vocabulary.pieces[pair[at]])
        with column, box("fill low", f"lab_nearest_{at}", gap=None):
            st.markdown(say("lab_nearest_words.nearest", word=literal(word)))
            figure = neighbours_figure(words, [cosine for _, cosine in side], marked, look)
            alt = say("lab_nearest_words.alt", word=word)
            show_chart(figure, f"lab_nearest_chart_{at}", alt, fill=True)


def _alike(
    table: Any, vocabulary: Vocabulary, first: Any, second: Any, trained: Any, origin: Any
) -> tuple[Pair, Likeness]:
    pair = _row(vocabulary, "first", first), _row(vocabulary, "second", second)
    return pair, word_likeness(table, pair, len(RESERVED), trained, origin)


def _row(vocabulary: Vocabulary, name: str, typed: Any) -> int:
    """The row of a word that was typed."""
    word = str(typed).strip().lower()
    if not vocabulary.has_word(word):
        raise GlassformerError("lab_word", name=name, given=str(typed)[:40])
    return vocabulary.id(vocabulary.piece(word))


def _verdict(pair: Pair, found: Likeness, vocabulary: Vocabulary) -> str:
    look = current_look()
    first, second = (literal(visible(vocabulary.pieces[each])) for each in pair)
    known = {"first": first, "second": second, "cosine": look.number(found.dense.cosine)}
    known |= {"positive": format_percent(found.positive), "mean": look.number(found.mean)}
    others = len(vocabulary) - len(RESERVED) - 1
    which = "same" if found.rank == 0 else "pair"
    said = say(f"lab_nearest_words.{which}", **known, rank=found.rank, others=f"{others:,}")
    return say("language.gap").join(
        [said, say("lab_nearest_words.all_pairs", **known, pairs=f"{found.pairs:,}")]
    )
