"""Second line of the stage bar: what is in focus, what is switched, what the link asked for."""

from collections.abc import Sequence
from functools import partial
from html import escape

import streamlit as st

from glassformer.app.frame.notices import Notice
from glassformer.app.panels import provenance
from glassformer.app.panels.opening import on_file
from glassformer.app.panels.phrases import experiment_line
from glassformer.app.panels.words.words_panel import attention_in_focus, kind_of
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import takes_pairs
from glassformer.app.session import experiments, store
from glassformer.app.session.memory import Pair
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.ui.kept import keep
from glassformer.app.ui.layout import side_by_side
from glassformer.app.ui.pick import segments, small_button
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.confidence import confidence, is_judged
from glassformer.core.trace.trace import Trace

# Training: where a head is in focus; the words are joined by cross-attention, too.
WITH_A_HEAD = [("replay", panel) for panel in ("translation", "attention", "film")]

WITHOUT_A_HEAD = ("walkthrough", "vectors")  # they name what they show themselves
DOUBTED = ("attention", "tensors")  # pages without the badge
PLAIN_PAGES = ("training", "lab")  # they draw runs of their own, without what is switched
RUNS = ("first", "second", "both")
OWN_ROW = "switch"  # this page says in a row of its own what is switched, with the ways back
LONGEST = 24  # characters of a value that are repeated; packed ones say nothing to a reader

_escape = component(__file__, "escape")


def show(trace: Trace | None, notices: Sequence[Notice]) -> None:
    """Draw the line: the focus on the left, messages, what is switched on the right."""
    switched = experiments.current_experiment() or experiments.can_undo()
    if trace is None or notices or switched or _more_runs():
        _show_line(trace, notices)
    else:
        now = store.get_state()
        parts = focus_parts(now, trace, store.page_on_screen())
        shown = (*parts, now.step, is_pinned(now), _is_doubted(trace))
        keep("focus", lambda: _show_line(trace, ()), now.language, *shown)


def _more_runs() -> bool:
    """Whether there are two runs on screen, or one from a file."""
    return on_screen.pair_on_screen() is not None or on_screen.file_on_screen() is not None


def _show_line(trace: Trace | None, notices: Sequence[Notice]) -> None:
    with side_by_side("stage_focus", gap="xsmall", wrap=False):
        if trace is not None:
            _show_focus(trace)
            on_file.show()
        if notices:
            st.markdown(" ".join(each.markdown for each in notices), width="stretch")
            for place, way in enumerate(way for each in notices for way in each.ways):
                st.button(
                    say(f"experiment.way_{way.name}"),
                    key=f"widget_way_{place}",
                    help=say(f"experiment.way_{way.name}_help"),
                    on_click=way.act,
                )
        else:
            st.space("stretch")
        if trace is not None:
            show_switched(crowded=bool(notices))


def _show_focus(trace: Trace) -> None:
    now = store.get_state()
    st.markdown(" · ".join(focus_parts(now, trace, store.page_on_screen())), width="content")
    if _is_doubted(trace):
        # What the Translate page says at length: the translation may well be wrong.
        st.markdown(f":orange[◆ **{say('translate.badge')}**]", width="content")
    if now.step:  # what is on screen is not what the model became
        step = say("frame.step", step=now.step)
        st.markdown(f":orange[:material/history: **{step}**]", width="content")
        to_end = f":material/last_page: {say('frame.to_end')}"
        st.button(
            to_end, key="widget_to_end", on_click=store.update, kwargs={"step": "", "course": "end"}
        )
    if is_pinned(now):
        small_button("×", "release", say("frame.release"), release_pins)


def _is_doubted(trace: Trace) -> bool:
    shown = store.page_on_screen() in DOUBTED
    return shown and is_judged(trace) and confidence(trace).level == "unsure"


def focus_parts(now: State, trace: Trace, page: str) -> list[str]:
    """What is in focus on a page ("" is the first one, Translate), part by part, as markdown."""
    kind: str = kind_of(trace)
    layer, head = attention_in_focus(now, trace)
    moving = page == "training" and now.replay in ("attention", "film")
    if page in ("attention", "switch") or moving:
        kind, layer, head = now.kind, now.layer, now.head
    shown = say("frame.all_heads", heads=trace.config.of(kind).n_heads)
    shown = shown if head is None else say("frame.head", head=head + 1)
    parts = [say(f"frame.focus_{kind}"), say("frame.layer", layer=layer + 1), shown]
    other = page == "training" and (now.training, now.replay) not in WITH_A_HEAD
    if page == "tensors":
        parts = [f"`{now.address}`"] if now.address else []
    elif page in WITHOUT_A_HEAD or other:
        parts = []
    way = [say(f"frame.direction_{trace.direction}")] if trace.direction else []
    return [*way, *parts, *_pins(now, trace)]


def _pins(now: State, trace: Trace) -> list[str]:
    parts = []
    rows = trace.source_tokens if now.kind == "encoder" else trace.target_tokens
    columns = trace.target_tokens if now.kind == "decoder" else trace.source_tokens
    if now.query is not None:
        parts.append(say("frame.query", token=literal(visible(rows[now.query]))))
    if now.key is not None:
        parts.append(say("frame.key", token=literal(visible(columns[now.key]))))
    if now.token is not None:
        side, place = now.token
        tokens = trace.source_tokens if side == "source" else trace.output_tokens
        parts.append(say("frame.token", token=literal(visible(tokens[place]))))
    return parts


def show_switched(crowded: bool) -> None:
    """Draw what is switched; crowded: a message stands beside it and needs the room."""
    pair, own = on_screen.pair_on_screen(), store.page_on_screen() == OWN_ROW
    told = not own and (experiments.current_experiment() or experiments.can_undo())
    if not told and pair is None:
        return
    with side_by_side("stage_switched", gap="xsmall", wrap=False, width="content"):
        acts = store.page_on_screen() not in PLAIN_PAGES
        if not own:
            if on_screen.experiment_on_screen() or (pair is not None and not acts):
                _line(acts, crowded)
            _ways_back()
        if acts and pair is not None:
            _which_run(pair)


def _line(acts: bool, crowded: bool) -> None:
    said = experiment_line(on_screen.experiment_on_screen())
    now, pair = store.get_state(), on_screen.pair_on_screen()
    plain = pair is not None and pair.kind == "experiment" and now.run == "first"
    text = say("experiment.switched", line=said) if acts else say("experiment.no_effect_here")
    colour = current_look().colour("changed" if acts and not plain else "faint")
    line_class = "switched-line crowded" if crowded else "switched-line"
    st.html(
        f'<div class="{line_class}" style="color: {colour}" title="{escape(said or text)}">'
        f"{escape(text)}</div>",
        width="content",
    )


def _ways_back() -> None:
    if experiments.can_undo():
        undo = say("experiment.undo_help")
        small_button(":material/undo:", "stage_undo", undo, experiments.undo_experiment)
    if experiments.current_experiment():
        reset = say("experiment.reset_help")
        small_button(":material/restart_alt:", "stage_reset", reset, experiments.reset_experiment)


def _which_run(pair: Pair) -> None:
    """The plain run, the switched one, or both; of two sentences the first, the second, or both."""
    usual = "both" if pair.kind == "sentences" else "second"
    labels = {run: say(f"experiment.{pair.kind}_{run}") for run in RUNS}

    def take(chosen: str) -> None:
        store.update(run="" if chosen == usual else chosen)

    value = store.get_state().run or usual
    segments("run", say("experiment.which_run"), labels, value, take, wrap=False)


def show_left_out() -> None:
    """Draw the message over the page: it is read in full whatever else the bar has to say."""
    gone = store.dropped_parameters()
    if not gone:
        return
    look = current_look()
    colours = f"background: {look.colour('panel')}; border-color: {look.colour('changed')}"
    st.html(f"<style>.st-key-left_out {{ {colours} }}</style>")
    with side_by_side("left_out", gap="small", wrap=False):
        st.markdown(f":red[:material/error:] {dropped_message(gone)}", width="stretch")
        small_button("×", "left_out", say("link.read"), store.mark_dropped_read)


def dropped_message(gone: tuple[str, ...]) -> str:
    """The message, as markdown: every field by its name on screen."""
    found, told = list(dict.fromkeys(gone)), []
    pairs = [each for each in found if each.startswith("text_pair=")]
    if pairs and not takes_pairs(store.get_state().model):
        found, told = [each for each in found if each not in pairs], [say("link.one_text")]
    if names := say("language.comma").join(map(_named, found)):
        told.append(say("link.left_out", names=names))
    return say("language.gap").join(told)


def _named(part: str) -> str:
    field, _, value = part.partition("=")
    name = say(f"link.{field}")
    if len(value) > LONGEST or not value:
        return name
    return say("link.with_value", name=name, value=literal(value))


def listen_for_escape() -> None:
    """Let the Escape key take one step out; call it once a run. It takes no room."""
    now = store.get_state()
    inside = now.trail is not None or _block_is_open(now) or is_pinned(now)
    draw = partial(_escape, "bridge_escape", {"inside": inside}, out=lambda _: step_out())
    keep("escape", draw, inside)


def step_out() -> None:
    """Close the number trail, or the block that is open; where none is, release what is pinned."""
    if store.get_state().trail is not None:
        provenance.close_drawer()
    elif _block_is_open(store.get_state()):
        store.update(block="")
    else:
        release_pins()


def release_pins() -> None:
    """Let go of the pinned word and cell."""
    store.update(query=None, key=None, token=None)


def is_pinned(now: State) -> bool:
    """Whether a word or a cell, or a row or column of cells, is pinned."""
    return now.query is not None or now.key is not None or now.token is not None


def _block_is_open(now: State) -> bool:
    return now.block != "" and store.page_on_screen() == ""  # only Translate shows it
