"""What a switch did: to the translation word by word, or to the vectors from layer to layer."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from glassformer.app.pages.switch import effect_words
from glassformer.app.pages.switch.figures.by_layer_map import Marks, Stack, by_layer_figure
from glassformer.app.plots.labels import escape, format_number, visible
from glassformer.app.runs import on_screen
from glassformer.app.session import experiments, store
from glassformer.app.session.memory import Pair
from glassformer.app.session.state import RESULTS
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.effect import Moved, Rung, first_changed, moves_of_rungs
from glassformer.core.text.vocabulary import END
from glassformer.core.trace.address import STACKS
from glassformer.core.trace.trace import Trace

HEIGHT = 560  # pixels of the picture, about; they decide how words are written
KINDS = {"self_attention": "decoder", "cross_attention": "cross"}  # of the decoder's attentions
Found = Sequence[tuple[Rung, Moved]]


def show() -> None:
    """Draw what the pair of runs on screen has to tell, or what to do where there is none."""
    pair = on_screen.pair_on_screen()
    if pair is None:
        _nothing()
        return
    words = pair.first.config.has_generator
    _head(pair, words)
    try:
        forced = on_screen.forced_run()
    except GlassformerError as error:
        if error.key != "decoding_range":
            raise
        st.info(say("effect.too_long"))
        return
    assert forced is not None  # there is a pair
    with box("fill tall", "effect_view", gap=None):
        by_layer = store.get_state().result == "by_layer" or not words
        draw = _by_layer if by_layer else effect_words.show
        draw(pair, forced)


def _head(pair: Pair, words: bool) -> None:
    """The title, and what is shown; of a model that writes no words only how far vectors moved."""
    now = store.get_state().result if words else "by_layer"
    with side_by_side("effect_head", gap="small", horizontal_alignment="distribute"):
        st.markdown(f"**{say(f'effect.title_{pair.kind}')}**", width="content")
        if words:
            draw_choice("switch_result", "effect.show", RESULTS, now, set_field("result"))
    st.caption(say(f"effect.about_{now}_{pair.kind}"))


def _nothing() -> None:
    trace, asked = on_screen.trace_on_screen(), experiments.current_experiment()
    with box("fill scroll frame", "effect_nothing", gap="small"):
        if asked:
            st.markdown(f"**{say('effect.not_run')}**")
            st.markdown(say("effect.not_run_do"))
            return
        st.markdown(f"**{say('effect.nothing')}**")
        if not trace.config.has_generator:
            st.markdown(say("effect.nothing_vectors"))
            return
        translates = trace.task == "translate"
        now = say("effect.nothing_now")
        if not translates:
            now = say(f"effect.nothing_now_{trace.task}")
        st.markdown(f"{now} **{literal(trace.output_text)}**")
        st.markdown(say("effect.nothing_do" if translates else "effect.nothing_do_text"))


def _by_layer(pair: Pair, forced: Trace) -> None:
    """Draw the heat map; `forced` is the second run on the first one's words."""
    found, began = moves_of_rungs(pair.first, forced), first_changed(pair.first, forced)
    by_stack = {name: [each for each in found if each[0].stack == name] for name in STACKS}
    names = [name for name, some in by_stack.items() if some]
    rows = [by_stack[name] for name in names]
    with box("note", "effect_began"):
        st.markdown(say("effect.began", address=f"`{began}`") if began else say("effect.still"))
    stacks = [_stack(*each, forced) for each in zip(names, rows, strict=True)]
    figure = by_layer_figure(stacks, _marks(rows, began), current_look(), HEIGHT)

    def clicked(click: Click) -> None:
        if click.curve < len(names) and 0 <= click.y < len(rows[click.curve]):
            _pick(rows[click.curve][int(click.y)][0], int(click.x))

    show_chart(figure, "effect_by_layer", say("effect.by_layer_alt"), fill=True, clicked=clicked)
    other = len(pair.first.source_tokens) != len(forced.source_tokens)
    st.caption(say("effect.by_layer_cut") if other else say("effect.by_layer_note"))


def _stack(stack: str, rows: Found, forced: Trace) -> Stack:
    """What the figure draws: a column is a source word, or a step of the decoder."""
    count = len(rows[0][1].by_position)
    if stack == "encoder":
        tokens, pieces = forced.source_tokens, forced.source_pieces
        words = list(map(visible, tokens))
    else:
        tokens, pieces = forced.output_tokens, forced.output_pieces
        words = [
            say("effect.reads", word=visible(read), next=visible(written))
            for read, written in zip(forced.target_tokens, tokens, strict=True)
        ]
    both = zip(tokens, pieces, strict=True)
    shown = [END if piece == END else visible(token) for token, piece in both]  # it is no word
    return Stack(
        name=say(f"effect.{stack}"),
        rows=[_row_name(rung) for rung, _ in rows],
        tokens=shown[:count],
        moved=np.stack([each.by_position.float().numpy() for _, each in rows]),
        hovers=[
            [
                f"{escape(_told(word, float(number)))}<br>{escape(rung.address)}"
                for word, number in zip(words, each.by_position, strict=False)
            ]
            for rung, each in rows
        ],
    )


def _marks(rows: Sequence[Found], began: str) -> Marks:
    """The first row that moved, and the row of the tensor in focus."""
    places = [(at, row, *each) for at, some in enumerate(rows) for row, each in enumerate(some)]
    address = store.get_state().address
    moved = ((at, row) for at, row, _, each in places if not each.still)
    focus = ((at, row) for at, row, rung, _ in places if rung.address == address)
    return Marks(next(moved, None) if began else None, next(focus, None))


def _row_name(rung: Rung) -> str:
    """What stands beside a row."""
    if rung.what == "probabilities":
        return say("effect.row_output")
    if rung.layer is None:
        return say("effect.row_input" if rung.part == "input" else "effect.row_final_norm")
    part = say(f"effect.parts.{rung.part}", layer=rung.layer + 1)
    return say("effect.row_weights" if rung.what == "weights" else "effect.row_stream", part=part)


def _told(word: str, number: float) -> str:
    """What a cell answers under the mouse."""
    if number == 0:
        return say("effect.cell_still", word=word)
    if np.isnan(number):
        return say("effect.cell_lost", word=word)
    return say("effect.cell", word=word, number=format_number(number, 7))


def _pick(rung: Rung, place: int) -> None:
    """Bring a tensor and a word of it into focus."""
    changes: dict[str, object] = {"address": rung.address}
    if rung.layer is not None:
        changes["layer"] = rung.layer
    side = "source" if rung.stack == "encoder" else "target"
    trace = on_screen.trace_on_screen()  # it may have written fewer words
    tokens = trace.source_tokens if side == "source" else trace.target_tokens
    there = place < len(tokens)
    if rung.what == "weights":
        kind = "encoder" if side == "source" else KINDS[rung.part]
        changes |= {"kind": kind, "stage": "weights", "query": place if there else None}
    store.update(**changes, token=(side, place) if there else None)
