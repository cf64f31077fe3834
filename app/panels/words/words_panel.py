"""Source and output joined by cross-attention, as lines or as a matrix."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from glassformer.app.panels.attention.heads import SIGN, taught_note, with_mark
from glassformer.app.panels.compare import pickers
from glassformer.app.panels.words.cross_attention import axes_with_numbers, cross_attention
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import on_screen
from glassformer.app.session import experiments, store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.components.word_lines import (
    NO_STEP,
    Chip,
    Pin,
    grey_positions,
    lines_data,
    output_chips,
    source_chips,
    word_lines,
)
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import literal
from glassformer.app.words import say, say_each
from glassformer.core.analysis.attention_views import (
    Kind,
    attention_at,
    head_map,
    kinds_of,
    layers_of,
)
from glassformer.core.analysis.choices import least_sure, rows_by_model
from glassformer.core.interventions import masks
from glassformer.core.text import vocabulary
from glassformer.core.trace.trace import Trace

TEXTS = (
    "translate.source translate.output translate.end_help translate.slot "
    "translate.slot_listed translate.guarded translate.unseen translate.mark_unknown "
    "translate.mark_unsure translate.mark_unseen translate.mark_guarded translate.chance "
    "translate.legend translate.hide_word translate.show_word"
)  # fmt: skip
OWN_TEXTS = ("source", "output", "legend")  # of one stack they are those of its task


def attention_in_focus(now: State, trace: Trace) -> tuple[int, int | None]:
    """Layer and head (None: the mean) of the lines.

    A cross-attention in focus on any page is the one shown; otherwise the last layer's mean, for
    that layer is the closest to the words. Of one stack it is that stack's attention to itself.
    """
    kind = kind_of(trace)
    if now.kind == kind:
        return now.layer, now.head
    return layers_of(trace, kind) - 1, None


def kind_of(trace: Trace) -> Kind:
    """Which attention joins what was read and what was written."""
    kinds = kinds_of(trace.config)
    return "cross" if "cross" in kinds else kinds[0]


def pinned_word(now: State) -> Pin | None:
    """The word that was clicked last."""
    return Pin(*now.token) if now.token else None


def step_in_focus(now: State, trace: Trace) -> int:
    """The row whose candidates are shown: the pinned output word, else the least sure word.

    Punctuation is often less sure than any word, and tells less.
    """
    if now.token and now.token[0] == "target":
        return now.token[1]
    words = [row for row, chip in enumerate(output_chips(trace)) if not chip.sink]
    return least_sure(trace, words or rows_by_model(trace) or range(len(trace.output_tokens)))


def apply_layout() -> None:
    """Put the page's own style sheet on it."""
    put_sheet(__file__, "layout.css")


def is_large(now: State) -> bool:
    """Whether the type is so large that the words need the room of everything else."""
    return now.size > 100


def show(trace: Trace, candidates: bool = True) -> None:
    """Draw the pickers and, in a panel of one height, lines or matrix.

    candidates: whether those of a word stand elsewhere on the page; it is marked here then.
    """
    now = store.get_state()
    layer, head = attention_in_focus(now, trace)
    _title(trace, layer, head)
    with box("dense inline", "words_pickers", horizontal=True, gap="xsmall"):
        draw_choice("links", "translate.view", ("lines", "matrix"), now.links, set_field("links"))
        cross_pickers("cross", trace, layer, head)
    with box("fill low", "words_panel", height="stretch", gap=None):
        if now.links == "lines":
            marked = candidates and trace.config.has_generator
            step = step_in_focus(now, trace) if marked else NO_STEP
            draw_word_lines(trace, layer, head, pinned_word(now), step, _taker(trace), "word_lines")
        else:
            _matrix(trace, layer, head)


def take_pin(pin: Pin | None) -> None:
    """Keep the clicked word in the state; None releases it."""
    store.update(token=(pin.side, pin.place) if pin else None)


def _taker(trace: Trace) -> Callable[[Pin | None], None]:
    """Keeps a pin; of a decoder alone a word that was read is the one that a row before wrote."""
    if trace.config.encoder_layers:
        return take_pin

    def take(pin: Pin | None) -> None:
        if pin and pin.side == "source":
            pin = Pin("target", pin.place - 1) if pin.place else None
        take_pin(pin)

    return take


def _title(trace: Trace, layer: int, head: int | None) -> None:
    kind = kind_of(trace)
    address = f"{attention_at(kind, layer)}/weights"
    shape = " × ".join(map(str, trace[address].shape))
    note = taught_note(kind, layer, head)
    about = _of_task(trace, "title_help", address=address, shape=shape)
    st.markdown(
        with_mark(f"**{_of_task(trace, 'title')}**", note),
        help=f"{SIGN} {note}\n\n{about}" if note else about,
    )


def _of_task(trace: Trace, name: str, language: str | None = None, **values: str) -> str:
    """A text by its name; of one stack, where nothing is translated, that of its task."""
    if trace.config.has_both:
        return say(f"translate.{name}", language, **values)
    task = trace.task if trace.config.has_generator else "vectors"
    return say(f"translate.{name}_{task}", language, **values)


def draw_word_lines(
    trace: Trace, layer: int, head: int | None, pin: Pin | None, step: int,
    on_pin: Callable[[Pin | None], None], key: str,
) -> None:  # fmt: skip
    """Draw the words joined by a head's weights, or by the mean of the heads of a layer.

    step: the output word that is marked, or NO_STEP. key: unique on the page.
    """
    data = word_lines_data(trace, layer, head, current_look(), pin, step)
    config, more = trace.config, dict[str, Any](invites=step != NO_STEP)
    if on_screen.file_on_screen() is None:  # only a model can compute what comes of it
        more["hidden"] = masks.hidden_words(experiments.current_experiment(), config)
    word_lines(key, data | more, on_pin, _toggle_word)


def _toggle_word(place: int) -> None:
    """Hide a word of what was read from all others, or show it again."""
    config = on_screen.trace_on_screen().config
    experiments.switch_to(masks.toggle_word(experiments.current_experiment(), config, place))


def word_lines_data(
    trace: Trace, layer: int, head: int | None, look: FigureStyle, pin: Pin | None = None,
    step: int = NO_STEP, language: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """What the lines are drawn from. language: of the words around them, the session's without."""
    return lines_data(
        source_chips(trace),
        output_chips(trace),
        head_map(trace, kind_of(trace), layer, head, "weights").weights,
        pin,
        step,
        look.colour("weights") if head is None else head_colour(head, look.dark),
        {"end": vocabulary.END}
        | say_each(TEXTS, language)
        | {name: _of_task(trace, name, language) for name in OWN_TEXTS},
    )


def _matrix(trace: Trace, layer: int, head: int | None) -> None:
    sources, outputs, look = source_chips(trace), output_chips(trace), current_look()
    side, place = store.get_state().token or ("", None)
    words = _labels(sources), _labels(outputs)
    figure = cross_attention(
        head_map(trace, kind_of(trace), layer, head, "weights").weights,
        *words,
        look,
        grey=(grey_positions(sources), grey_positions(outputs)),
        framed=(place if side == "source" else None, place if side == "target" else None),
    )

    def take_row(click: Click) -> None:
        take_pin(Pin("target", int(click.y)))

    alt = say("translate.matrix_alt")
    show_chart(figure, "cross_matrix", alt, fill=True, clicked=take_row)
    _list_of_words(*words, look)


def _list_of_words(sources: list[str], outputs: list[str], look: FigureStyle) -> None:
    """The words behind the numbers on the axes, where there was no room for words."""
    columns, rows = axes_with_numbers(sources, outputs, look)
    lists = [(say("translate.source"), sources)] if columns else []
    lists += [(say("translate.output_axis"), outputs)] if rows else []
    if not lists:
        return
    with st.container(key="words_list", height=look.px(58), border=False, gap=None):
        for title, words in lists:
            listed = " · ".join(
                f"{at}\N{NO-BREAK SPACE}**{literal(word)}**" for at, word in enumerate(words, 1)
            )
            st.caption(f"{title}: {listed}")


def sentence_signs(pieces: Sequence[str]) -> dict[int, str]:
    """The places of begin and end signs, and what they are."""
    return {
        place: say(f"translate.sign_{piece.strip('<>')}")
        for place, piece in enumerate(pieces)
        if piece in (vocabulary.END, "<en>", "<zh>")
    }


def shown_piece(piece: str, token: str) -> str:
    """A candidate as it is listed: a slot that the sentence leaves empty, by its name."""
    if piece not in vocabulary.SLOTS or token != piece:
        return token
    return say(f"translate.slot_{piece[1:-2]}", number=piece[-2])


def why_never(piece: str) -> str:
    """Why a word that may not be written may not, in a few words."""
    sign = "sign" if piece in vocabulary.RESERVED else "language"
    return say(f"translate.never_{'slot' if piece in vocabulary.SLOTS else sign}")


def _labels(chips: list[Chip]) -> list[str]:
    return [vocabulary.END if chip.end else chip.text for chip in chips]


def cross_pickers(prefix: str, trace: Trace, layer: int, head: int | None) -> None:
    """Draw both pickers; the head becomes the one in focus on all pages.

    prefix: of the widgets' names. layer, head: the ones on screen, None for the mean.
    """
    kind = kind_of(trace)

    def take_layer(chosen: int) -> None:
        store.update(kind=kind, layer=chosen, head=head)

    def take_head(chosen: int | None) -> None:
        store.update(kind=kind, layer=layer, head=chosen)

    pickers.pick_layer(layers_of(trace, kind), layer, take_layer, prefix)
    pickers.pick_head(trace.config.of(kind).n_heads, head, take_head, prefix)
