"""The benches on word order and distance."""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import inputs, kit, whose
from glassformer.app.pages.lab.added.figures import beside_tables, costs_table, product_tables
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.order.figures import OrderMaps, order_figure
from glassformer.app.pages.lab.seq2seq.figures import gates_table, reach_figure
from glassformer.app.pages.lab.why.figures import table_html, time_figure, travel_figure
from glassformer.app.plots.labels import format_number, format_percent, visible
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.lab.added import join_positions
from glassformer.core.lab.inputs import read_choice
from glassformer.core.lab.permutation import MOST, VARIANTS, Permuted, permutation, reversed_order
from glassformer.core.lab.seq2seq import LONGEST, WIDEST, read_words
from glassformer.core.lab.why_attention import Race, run_routes, table_one, time_layers

_words = component(__file__, "words")  # to drag, or to move with the arrow keys
SEEN = ("output", "weights")
VIEWS = ("travel", "time")
WHY = (
    Field("view", "", "travel", "choice", "weights", options=VIEWS),
    Field("length", "n", 24, "slider", low=2, high=32, step=1),
    Field("width", "d", 16, "slider", low=4, high=16, step=4),
    Field("kernel", "k", 3, "slider", low=2, high=9, step=1),
)
SENTENCE = "The animal didn't cross the street because it was too tired".split()
ADDED = (
    Field("x", "x", ((1, 0), (0.5, 2)), "table", grow=("rows", "columns"), least=1, most=4),
    Field("positions", "p", (0, 3), "row", "query"),
    Field("matrix", "A", ((1, 2, 0, -1), (0.5, 0, 1, 1)), "table", by=2, least=2, most=6,
          grow=("columns",)),
    Field("d_model", "d_model", 512, low=8, high=2048, step=8),
    Field("d_position", "", 512, role="query", low=8, high=2048, step=8),
)  # fmt: skip
WINDOW = 8  # r of restricted attention
RACED = (8, 16, 32, 64, 128, 256, 512, 1024)  # words
RACE_WIDTH, RACE_KERNEL, RACE_SECONDS = 64, 3, 3


def show_order() -> None:
    """The words of the sentence in another order, with positions and without."""
    trace = whose.bench_trace()
    ids, words = trace["source/ids"][0][:MOST], trace.source_tokens[:MOST]
    order = _order(len(ids))
    texts = kit.draw_bench_head("order")
    whose.tell_stand_in()
    drag = {
        "words": [visible(word) for word in words],
        "order": order,
        "texts": {name: texts[name] for name in ("drag", "press", "reverse", "shuffle", "restore")},
    }
    _words("lab_order_words", drag, order=partial(_take, len(ids)))
    variants = tuple(each for each in VARIANTS if each not in ("none", trace.config.positions))
    fields = (
        Field("variant", "", "own", "choice", options=variants),
        Field("seen", "", "output", "choice", "weights", options=SEEN),
    )
    compute = partial(_permuted, ids, order)
    cut = say("lab_order.cut", most=MOST) if len(trace.source_tokens) > MOST else ""
    answer = kit.compute_from_inputs("order", fields, compute, note=lambda _found, _edited: cut)
    seen = str(answer.typed["seen"])
    maps = [_maps(each, seen) for each in answer.result]
    kit.draw_chart("order", order_figure(maps, words, order, seen, texts, current_look()))


def _permuted(ids: Any, order: Sequence[int], variant: Any, seen: Any) -> tuple[Permuted, ...]:
    read_choice("seen", seen, SEEN)
    model = whose.transformer()
    return permutation(model, ids, order, ("none", variant))


def _order(count: int) -> tuple[int, ...]:
    """The order of this sentence; last word first until the reader moves one."""
    order = store.get_state().words
    if order and len(order) != count:
        store.drop("words")
        st.rerun()
    return order or reversed_order(count)


def _take(count: int, order: Any) -> None:
    """What the browser sends: a new order of so many words."""
    if (
        isinstance(order, list)
        and all(isinstance(each, int) for each in order)
        and sorted(order) == list(range(count))
    ):
        chosen = tuple(order)
        store.update(words=() if chosen == reversed_order(count) else chosen)


def _maps(each: Permuted, seen: str) -> OrderMaps:
    """What one kind of positions makes of both orders, and what is left over."""
    found = each.output if seen == "output" else each.weights
    maps = [found.still, found.moved, found.apart]
    if seen == "weights":
        maps = list(map(_of_head, maps))
    key = "lab_order.verdict_same" if each.equivariant else "lab_order.verdict_other"
    verdict = say(
        key if each.is_moved else "lab_order.verdict_unmoved",
        name=say(f"lab_order.with_{each.variant}"),
        error=format_number(found.error, current_look().precision),
    )
    return OrderMaps(verdict, each.equivariant, *(part.numpy() for part in maps))


def _of_head(weights: Any) -> Any:
    """The layer and head in focus, or the mean of its heads: (L, H, S, S) -> (S, S)."""
    now = store.get_state()
    layer = weights[min(now.layer, len(weights) - 1)]
    return layer.mean(dim=0) if now.head is None else layer[min(now.head, len(layer) - 1)]


def show_seq2seq() -> None:
    """An LSTM's gates word by word, and what its last state and attention still know."""
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
    found, step = kit.compute_from_inputs("seq2seq", fields, read_words).result
    first = {kind: format_percent(float(each[0])) for kind, each in found.by_word.items()}
    st.markdown(say("lab_seq2seq.first", word=literal(found.words[0]), **first))
    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with st.container(key="lab_seq2seq_gates", gap=None, width="content"):
            word = literal(found.words[step])
            st.markdown(f"**{say('lab_seq2seq.at', step=step + 1, word=word)}**")
            st.html(gates_table(found, step, texts, look))
        with box("fill", "lab_seq2seq_reach", gap=None):
            figure = reach_figure(found, texts, look)
            show_chart(figure, "lab_seq2seq_chart", texts["alt"], fill=True)


def show_added() -> None:
    """A position added, the same as one product, and a position concatenated."""
    look, texts = current_look(), kit.draw_bench_head("added")
    ties = [[("x", "rows"), ("positions", "columns")], [("x", "columns"), ("matrix", "rows")]]
    found = kit.compute_from_inputs("added", ADDED, join_positions, ties).result
    difference = look.number(found.difference)
    texts["sum"] = say("lab_added.sum", difference=difference)
    st.html(f'<div class="lab-sums">{product_tables(found, texts, look)}</div>')
    with st.container(key="lab_added_beside", horizontal=True, gap="large"):
        st.html(beside_tables(found, texts, look), width="content")
        st.html(costs_table(found, texts), width="content")


def show_why() -> None:
    """An RNN, convolutions and attention on the same words, beside the paper's Table 1."""
    look, texts = current_look(), kit.draw_bench_head("why")
    answer = kit.compute_from_inputs("why", WHY, _why)
    (found, bounds), view = answer.result, answer.typed["view"]
    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with box("fill", "lab_why_picture", gap="xsmall"):
            if view == "travel":
                figure = travel_figure(found, texts, look)
            else:
                figure = time_figure(_race(), texts, look)
            show_chart(figure, f"lab_why_{view}", texts[f"alt_{view}"], fill=True)
        with st.container(key="lab_why_table", gap=None, width=464):
            sizes = say("lab_why.sizes", window=WINDOW, **answer.typed)
            st.markdown(f"**{texts['table']}** :small[{sizes}]")
            st.html(table_html(bounds, found, texts, look))
            layers = {each.kind: each.layers for each in found}
            stacks = {"stacked": layers["convolution"], "spaced": layers["dilated"]}
            st.markdown(f":small[{say('lab_why.layers', **stacks)}]")


@lru_cache(maxsize=32)
def _why(length: Any, width: Any, kernel: Any, view: Any) -> tuple[Any, Any]:
    """What was measured on one sequence, and the paper's bounds for it."""
    read_choice("view", view, VIEWS)
    return run_routes(length, width, kernel), table_one(length, width, kernel, WINDOW)


def _race() -> Race | None:
    """The button and the last race of this session."""
    found = store.memory().lab_race
    button, line = st.columns([1, 2.2], gap="small", vertical_alignment="center")
    said = line.empty()
    if button.button(say("lab_why.measure"), key="lab_why_measure", width="stretch"):
        report = said.progress(0.0).progress
        found = time_layers(RACED, RACE_WIDTH, RACE_KERNEL, limit=RACE_SECONDS, report=report)
        store.memory().lab_race = found
    slower = found.overtaken if found else None
    name = "waiting" if found is None else "from" if slower else "never"
    sizes = {"width": RACE_WIDTH, "kernel": RACE_KERNEL, "longest": max(RACED)}
    verdict = say(f"lab_why.race_{name}", limit=RACE_SECONDS, length=slower, **sizes)
    said.markdown(f":small[{verdict}]")
    return found
