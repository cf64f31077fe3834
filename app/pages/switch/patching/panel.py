"""Causal tracing: which vector of another sentence turns a word of the translation."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from glassformer.app.pages.switch import tensor_draft
from glassformer.app.pages.switch.patching.figures import PatchingPanel, patching_map
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import is_opened, place_of
from glassformer.app.runs.traces import get_run, get_trace
from glassformer.app.session import experiments, store
from glassformer.app.session.limits import MOST_PATCHED
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.lines import in_one_line, with_lines
from glassformer.app.ui.pick import menu, set_field
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import StoppedError, count_parts
from glassformer.core.interventions import Experiment
from glassformer.core.interventions import causal_tracing as tracings
from glassformer.core.interventions.causal_tracing import Grid, Question, Side, Tracing
from glassformer.core.interventions.tensors import TensorPatch
from glassformer.core.trace.address import Address
from glassformer.core.trace.trace import Trace

SIZE = (1380, 440)  # pixels at 1440 × 900; they decide how words are written
SIDES: tuple[Side, Side] = ("encoder", "decoder")
ROLES = {"self_attention": "weights", "cross_attention": "weights", "feed_forward": "feed_forward"}
# Two sentences whose patching tells something, by the id of their texts `patching.pair_<id>`.
SUGGESTIONS = {
    "tired": (FIRST_SENTENCE, "The animal didn't cross the street because it was too wide"),
    "city": ("欢迎来到北京", "欢迎来到上海"),
    "measure": ("I have a cat", "I have a dog"),
    "learning": ("I love machine learning", "I love deep learning"),
}
# What a model that is no translator of ours is asked, by what it does with a text.
ELSEWHERE = {
    "continue": {"capital": ("The capital of France is", "The capital of Italy is")},
    "fill_in": {"capital": ("The capital of France is ___.", "The capital of Italy is ___.")},
}
Cell = tuple[Grid, int, int]  # row and column
Grids = Sequence[tuple[Side, Grid]]  # both stacks; what is not swept yet has none


@dataclass(frozen=True)
class Wanted:
    """What is asked: the plain runs of both sentences, the first as typed, its name in a cache."""

    plain: Trace
    other: Trace
    first: str
    key: Hashable


def show() -> None:
    """Draw the choice of the pair, the picture, and what the chosen patch does."""
    first = _first_sentence()
    second = _second_sentence(first)
    with box("note", "patching_page", gap="xsmall"):
        st.markdown(f"**{say('patching.title')}** :small[{say('patching.about')}]")
        _suggestions((first, second))
        sentence, word, status = st.columns([2.6, 1.7, 1.5], gap="medium")
        with sentence:
            _other(second)
        if not second:
            _instead(say("patching.choose"))
            return
        try:
            wanted = _wanted(first, second)
            found = tracings.tracing_questions(on_screen.plain_model(), wanted.plain, wanted.other)
        except GlassformerError as error:
            _instead(format_error(error))
            return
        with word:
            question = _word(wanted, found)
        with status, box("rows-3", "patching_status", gap=None):
            tracing = _run(wanted, question.row)
            st.markdown(f":small[{_status(tracing)}]")
        grids = [(side, grid) for side in SIDES if (grid := tracing.grid(side)) is not None]
        chosen = _patched_cell(grids, wanted.other.line)
        _picture(wanted, tracing, grids, chosen)
        _below(wanted, tracing, chosen)


def _first_sentence() -> str:
    """The sentence that is patched: the state's, or where that is refused the one on screen."""
    now = store.get_state()
    try:
        get_trace(now.own_text, now.direction, now.model, now.version)
    except GlassformerError:
        return on_screen.trace_on_screen().line
    return now.own_text


def _second_sentence(first: str) -> str:
    """The sentence that the vectors come from; "" without.

    The second one of the state, that of the experiment's patch, or the one suggested for the first.
    """
    if given := store.get_state().own_second:
        return given
    for switch in experiments.current_experiment().switches:
        if isinstance(switch, TensorPatch) and switch.sentence:
            return switch.sentence
    return dict(_suggested().values()).get(first, "")


def _suggested() -> Mapping[str, tuple[str, str]]:
    """The pairs that suit the model on screen; another's translator may know no Chinese."""
    model = on_screen.plain_model()
    if model.kind in ELSEWHERE:
        return ELSEWHERE[model.kind]
    ours = not is_opened(on_screen.made_by()[0])
    return {name: each for name, each in SUGGESTIONS.items() if ours or each[0].isascii()}


def _wanted(first: str, second: str) -> Wanted:
    """What the state asks for. Errors: as `get_trace`."""
    direction, (model, step) = store.get_state().direction, on_screen.made_by()
    plain, other = (get_trace(text, direction, model, step) for text in (first, second))
    return Wanted(plain, other, first, (first, second, direction, place_of(model), step))


def _instead(text: str) -> None:
    """What stands in the place of the picture where there is none."""
    with box("fill", "patching_instead"):
        st.info(text)


def _suggestions(pair: tuple[str, str]) -> None:
    suggested = _suggested()
    labels = {name: say(f"patching.pair_{name}") for name in suggested}
    chosen = next((name for name, each in suggested.items() if each == pair), None)
    with side_by_side("patching_pairs", "rows-2", gap="medium"):
        st.pills(
            say("patching.pairs"),
            list(labels),
            **store.bind("patching_pair", chosen, default=chosen),
            format_func=labels.__getitem__,
            label_visibility="collapsed",
            width="content",
            on_change=_take_pair,
        )
        ours = chosen is not None and not is_opened(on_screen.made_by()[0])
        note = say(f"patching.note_{chosen}") if ours else say("patching.note_own")
        st.markdown(f":small[{note}]")


def _take_pair() -> None:
    """Both sentences of a suggestion; a patch of the pair before is no experiment on this one."""
    chosen = _suggested().get(store.widget_value("patching_pair"))
    if chosen is None:
        return
    sentences = {"text": chosen[0], "second": chosen[1], "text_pair": "", "direction": "auto"}
    if any(isinstance(each, TensorPatch) for each in experiments.current_experiment().switches):
        experiments.switch_to(Experiment(), **sentences)
    else:
        store.update(**sentences)


def _other(second: str) -> None:
    def take() -> None:
        store.update(second=with_lines(store.widget_value("patching_second")).strip())

    st.text_input(
        say("patching.other"),
        **store.bind("patching_second", in_one_line(store.get_state().second or second)),
        placeholder=say("patching.other_hint"),
        on_change=take,
    )


def _word(wanted: Wanted, found: tuple[Question, ...]) -> Question:
    """The choice of the word that is watched: that of the state, or the first one."""
    row = store.get_state().watch
    chosen = next((each for each in found if each.row == row), found[0])
    labels = {
        each.row: say(
            "patching.word_of",
            place=each.row + 1,
            rival=visible(word_of(wanted.plain, each.rival)),
            answer=visible(word_of(wanted.other, each.answer)),
        )
        for each in found
    }
    word, why = say("patching.word"), say("patching.word_help")
    menu("patching_watch", word, labels, chosen.row, set_field("watch"), bare=False, help=why)
    return chosen


def _run(wanted: Wanted, row: int) -> Tracing:
    """Sweep, or go on where it was interrupted: what is found until then is kept.

    Errors: `StoppedError` where the reader stopped it before there was anything.
    """
    memory, key = store.memory(), (wanted.key, row)
    so_far = memory.patched_runs.get(key)
    if so_far is not None and so_far.done == so_far.total:
        return so_far
    model = on_screen.plain_model()
    patched_runs = tracings.causal_tracing(model, wanted.plain, wanted.other, row, so_far)
    try:
        for found in count_parts(patched_runs, len(tracings.patched_addresses(model.config))):
            so_far = found
            others = {each: old for each, old in memory.patched_runs.items() if each != key}
            memory.patched_runs = dict([*others.items(), (key, found)][-MOST_PATCHED:])
    except StoppedError:
        if so_far is None:
            raise
    assert so_far is not None
    return so_far


def _status(found: Tracing) -> str:
    """How many runs were made, or where the reader stopped."""
    if found.done < found.total:
        return say("patching.stopped", done=found.done, total=found.total)
    return say("patching.done", runs=sum(map(len, found.scores.values())))


def _picture(wanted: Wanted, tracing: Tracing, grids: Grids, chosen: Cell | None) -> None:
    drawn = [_panel(wanted, tracing, *each, chosen) for each in grids]
    answer = word_of(wanted.other, tracing.question.answer)
    words = (say("patching.turned"), say("patching.chance", word=visible(answer)))
    figure = patching_map(drawn, words, current_look(), SIZE)

    def clicked(click: Click) -> None:
        place, row, column = map(int, click.custom)
        if place >= len(grids) or row >= len(grids[place][1].addresses):
            return
        patch = patch_at(grids[place][1].addresses[row], column, wanted.other.line)
        experiment = Experiment((patch,))
        experiments.switch_to(
            Experiment() if experiments.current_experiment() == experiment else experiment
        )

    with box("fill", "patching_picture"):
        show_chart(figure, "patching_map", say("patching.alt"), "patching", True, clicked)


def _panel(
    wanted: Wanted, tracing: Tracing, side: Side, grid: Grid, patched: Cell | None
) -> PatchingPanel:
    plain, other = wanted.plain, wanted.other
    if side == "encoder":
        hovers = [visible(token) for token in grid.tokens]
        marked = _differing(plain.source_tokens, other.source_tokens)
        if not plain.config.decoder_layers:  # here is watched, too
            marked = sorted({*marked, tracing.question.row})
    else:
        both = zip(map(visible, grid.tokens), map(visible, plain.output_tokens), strict=False)
        hovers = [say("patching.reads", read=read, written=written) for read, written in both]
        marked = [tracing.question.row]
        if not plain.config.encoder_layers:  # what is typed stands here
            typed = len(grid.tokens)
            texts = plain.target_tokens[:typed], other.target_tokens[:typed]
            marked = sorted({*marked, *_differing(*texts)})
    return PatchingPanel(
        title=say(f"patching.{side}"),
        rows=[
            (_row_name(each), ROLES.get(Address.of(each).part, "data")) for each in grid.addresses
        ],
        words=grid.tokens,
        hovers=hovers,
        shares=grid.restored.float().numpy(),
        chances=grid.probabilities.float().numpy(),
        marked=marked,
        chosen=patched[1:] if patched and patched[0] is grid else None,
    )


def _differing(one: Sequence[str], two: Sequence[str]) -> list[int]:
    """The places of the words that two texts of one length do not share."""
    return [place for place, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]


def _row_name(address: str) -> str:
    """A swept tensor in words: "after layer 1", "layer 1 · self-attention"."""
    at = Address.of(address)
    if at.layer is None:
        return say("patching.row_input")
    part = at.part if at.part in ROLES else "state"
    return say(f"patching.row_{part}", layer=at.layer + 1)


def word_of(trace: Trace, word: int) -> str:
    """A word of the vocabulary as this run writes it."""
    piece = trace.vocabulary[word]
    if piece in trace.output_pieces:
        return trace.output_tokens[trace.output_pieces.index(piece)]
    return trace.surfaces.get(piece, piece)


def patch_at(address: str, place: int, sentence: str) -> TensorPatch:
    """The switch that a cell stands for."""
    return TensorPatch(address, (("position", (place,)),), sentence)


def _patched_cell(grids: Grids, sentence: str) -> Cell | None:
    """The cell that is in the experiment; None without."""
    for _, grid in grids:
        for row, column in np.ndindex(*grid.restored.shape):
            if patch_at(grid.addresses[row], column, sentence) in experiments.current_experiment():
                return grid, row, column
    return None


def _below(wanted: Wanted, tracing: Tracing, chosen: Cell | None) -> None:
    """How to read the picture; what the chosen patch does, and the way to all of its effect."""
    plain, other, question = wanted.plain, wanted.other, tracing.question
    rival, answer = _bold(word_of(plain, question.rival)), _bold(word_of(other, question.answer))
    read, patched = st.columns([1, 1], gap="medium")
    read.markdown(f":small[{say('patching.read', rival=rival, answer=answer)}]")
    with patched, box("rows-3", "patching_patched", gap="xsmall"):
        if chosen is None:
            st.markdown(f":small[{say('patching.click')}]")
            return
        grid, row, column = chosen
        patch = patch_at(grid.addresses[row], column, other.line)
        now = store.get_state()
        run = get_run(Experiment((patch,)), wanted.first, now.direction, *on_screen.made_by())
        before = float(plain["output/probabilities"][0, question.row, question.answer])
        side = "encoder" if Address.of(patch.address).side == "source" else "decoder"
        st.markdown(
            say(
                "patching.patched",
                name=say(f"patching.of_{side}", row=_row_name(patch.address)),
                word=_bold(grid.tokens[column]),
                before=literal(plain.output_text),
                after=literal(run.output_text),
                answer=answer,
                chance=format_percent(before, now.precision),
                now=format_percent(float(grid.probabilities[row, column]), now.precision),
            )
        )
        _ways(patch)


def _ways(patch: TensorPatch) -> None:
    """To all that a patch changes, where the page's panels compare it with the plain run; back."""

    def effect() -> None:
        tensor_draft.fill_draft(patch)
        store.update(switches="tensors", second="", run="")

    with st.container(horizontal=True, gap="small"):
        st.button(say("patching.effect"), key="patching_effect", type="primary", on_click=effect)
        st.button(say("patching.undo"), key="patching_undo", on_click=experiments.undo_experiment)


def _bold(token: str) -> str:
    return f"**{literal(visible(token))}**"
