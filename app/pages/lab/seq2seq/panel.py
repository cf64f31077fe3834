"""An LSTM's gates word by word, and what its last state and attention still know."""

import streamlit as st

from glassformer.app.pages.lab import inputs, kit
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.seq2seq.figures import gates_table, reach_figure
from glassformer.app.plots.labels import format_percent
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.lab.seq2seq import LONGEST, WIDEST, Reading, read_words

SENTENCE = "The animal didn't cross the street because it was too tired".split()


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("seq2seq")
    typed = inputs.inputs_of_reader("seq2seq").get("words", SENTENCE)
    fields = (
        Field("words", "", SENTENCE, "row", "data", grow=("columns",), least=2, most=LONGEST,
              of_words=True),
        Field("step", "t", 2, "slider", "data", low=1, high=len(typed), step=1),
        Field("width", "d", 4, "slider", low=2, high=WIDEST, step=1),
        Field("forget", "", 0, "slider", "weights", low=-4, high=8, step=0.5),
        Field("seed", "", 0, low=0, step=1),
    )  # fmt: skip
    answer = kit.compute_from_inputs("seq2seq", fields, read_words)
    found, step = answer.result

    def draw(answer: kit.Answer[tuple[Reading, int]]) -> None:
        figure = reach_figure(answer.result[0], texts, look)
        show_chart(figure, "lab_seq2seq_chart", texts["alt"], fill=True)

    first = {kind: format_percent(float(each[0])) for kind, each in found.by_word.items()}
    st.markdown(say("lab_seq2seq.first", word=literal(found.words[0]), **first))
    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with st.container(key="lab_seq2seq_gates", gap=None, width="content"):
            word = literal(found.words[step])
            st.markdown(f"**{say('lab_seq2seq.at', step=step + 1, word=word)}**")
            st.html(gates_table(found, step, texts, look))
        with box("fill", "lab_seq2seq_reach", gap=None):
            kit.draw_with_foresight(answer, draw)
