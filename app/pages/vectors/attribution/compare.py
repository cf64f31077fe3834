"""Direct logit attribution of two runs, part by part."""

import streamlit as st

from glassformer.app.pages.vectors.attribution.panel import Attributed, lines_of, of_run
from glassformer.app.runs import on_screen
from glassformer.app.session.memory import Pair
from glassformer.app.ui.components.bar_table import Column, Row, bar_table
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.logit_attribution import logit_attribution
from glassformer.core.trace.graph import Stack


def show(pair: Pair) -> None:
    """Draw the sums of two runs beside each other: for the first one's word, at the row in focus.

    The second is asked for the same word, in the row that both have.
    """
    trace = pair.first
    stack: Stack = "decoder" if trace.config.decoder_layers else "encoder"
    focus = Attributed.current(stack)
    row = min(focus.row, len(trace.output_pieces) - 1, len(pair.second.output_pieces) - 1)
    mine = focus.model
    first = mine if pair.kind == "sentences" else on_screen.plain_model().transformer
    before = of_run(trace, first, row, None)
    after = logit_attribution(pair.second, mine, row, before.word)
    logits = [focus.number(each.logit) for each in (before, after)]
    word = literal(focus.word(before.word))
    said = say("attribution.pair", word=word, row=row + 1, before=logits[0], after=logits[1])
    st.markdown(f"**{said}**")
    sums = [
        {(line.label, line.parts[0].address): line.value for line in lines_of(each)}
        for each in (before, after)
    ]
    labels = list(dict.fromkeys([*sums[0], *sums[1]]))
    triples = [(sums[0].get(each, 0.0), sums[1].get(each, 0.0)) for each in labels]
    end = max(abs(each) for pair_ in triples for each in (*pair_, pair_[1] - pair_[0])) or 1.0
    names = ("pair_before", "pair_after", "pair_difference")
    columns = [Column(say("attribution.column_part"), "auto")]
    colours = ("data", "data", "changed")
    for name, colour in zip(names, colours, strict=True):
        title = say(f"attribution.{name}")
        columns.append(Column(title, "1fr", end, signed=True, colour=colour))
    rows = [
        Row(at, [label, *map(focus.number, (one, two, two - one))], [None, one, two, two - one])
        for at, ((label, _), (one, two)) in enumerate(zip(labels, triples, strict=True))
    ]
    with box("fill tall scroll", "vectors_main"):
        bar_table("attribution_pair", columns, rows)
