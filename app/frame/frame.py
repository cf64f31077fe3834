"""What surrounds every page: style, switches on top, stage bar, messages, settings."""

from functools import partial

import streamlit as st

from glassformer.app.frame import focus, guide, saving, sentence
from glassformer.app.frame.kept_experiments import listen_experiments
from glassformer.app.frame.notices import notices
from glassformer.app.panels.attention.focus import first_head
from glassformer.app.panels.compare import largest
from glassformer.app.panels.opening import opening
from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import trace_bytes
from glassformer.app.session import experiments, store
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.ui.kept import keep
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.pick import segments, set_field
from glassformer.app.ui.sheets import SIZES
from glassformer.app.ui.style import apply_style
from glassformer.app.words import language_name, say
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.trace import Trace

WITH_A_HEAD = ("attention", "training")  # pages that open on a head that shows something
ON_A_PHONE = ("", "walkthrough", "lectures")  # pages that one column is enough for
PRECISIONS = (2, 3, 4, 5, 6)

_theme = component(__file__, "theme_switch")
_presented = component(__file__, "presented", scripts=("vector.js",))


def show() -> None:
    """Draw the frame and bring the trace of the state; stops where there is nothing to show.

    After it, `on_screen.trace_on_screen()` is the trace to draw and `store.get_state()` fits it.
    """
    look, language = current_look(), store.get_state().language
    keep("style", lambda: apply_style(look), look, language)
    show_switches()
    over = sentence.tell_opening(store.get_state().model)
    outcome = on_screen.current_outcome()
    over()
    if outcome.trace is not None:
        if store.page_on_screen() in WITH_A_HEAD:
            store.open_on(*first_head(outcome.trace))
        store.clamp_to_trace(outcome.trace)
        _to_the_difference()
    experiments.history_of_setups()
    listen_experiments()
    focus.listen_for_escape()
    if store.memory().presented:
        keep("presented", lambda: _presented("bridge_presented", {}))
    with box("folds", "stage_bar", gap=None):
        sentence.show()
        focus.show(outcome.trace, notices(outcome))
        focus.show_left_out()
    keep("page", _say_page, language, store.page_on_screen())
    show_settings(outcome.trace)
    if outcome.trace is None:
        st.stop()


def _say_page() -> None:
    with box("narrow-only", "wants_room"):
        here = say("frame.page_here", page=say(f"frame.{store.page_on_screen() or 'translate'}"))
        wide = "" if store.page_on_screen() in ON_A_PHONE else say("frame.wants_room")
        st.caption(f"{here}  \n{wide}")


def _to_the_difference() -> None:
    """After a second sentence was given, bring into view where the two runs differ most."""
    pair = on_screen.pair_on_screen()
    if pair is None or pair.kind != "sentences" or not store.memory().second_new:
        return
    store.memory().second_new = False
    if (found := largest.find_largest_difference(pair)) is not None:
        largest.jump_to_difference(pair, found)


def show_switches() -> None:
    """Draw Open…, Save…, the languages, ◐ and ? in the header, beside the navigation."""
    now, seen = store.get_state(), st.context.theme.type
    if opening.is_asked() or saving.is_asked():
        _switches()  # with a dialog, which is a fragment
    else:
        keep("switches", _switches, now.language, now.theme, seen)


def _switches() -> None:
    with side_by_side("switches", "afloat", gap="xsmall", width="content"):
        opening.show_button()
        saving.show_button()
        now = store.get_state().language
        names = {each: language_name(each) for each in LANGUAGES}
        segments("language", say("frame.language"), names, now, set_field("language"))
        # The callback makes Streamlit run again when the theme has changed: figures are drawn
        # in the colours of the theme, and Python learns of it only from a run. What the reader
        # has chosen with the switch is in the link; what the system says is not.
        _theme(
            key="theme_switch",
            data={
                "label": say("frame.theme"),
                "seen": st.context.theme.type,
                "wanted": store.get_state().theme,
            },
            scheme=lambda _: None,
            chosen=lambda theme: store.update(theme=theme),
            width="content",
        )
        guide.show()


def show_settings(trace: Trace | None) -> None:
    """Draw the sidebar; it is closed until the reader opens it."""
    now = store.get_state()
    with st.sidebar:
        keep("settings", _pickers, now.language, now.precision, now.size)
        if trace is not None:
            _facts(trace)
        keep("counting", partial(st.caption, say("frame.counting")), now.language)


def _pickers() -> None:
    now = store.get_state()
    st.subheader(say("settings.title"))
    _select("precision", PRECISIONS, now.precision, "{}")
    _select("size", SIZES, now.size, "{}%")
    st.caption(say("settings.size_help"))


def _select(name: str, options: tuple[int, ...], value: int, label: str) -> None:
    # A link may hold a value between those offered here.
    labels = {offered: label.format(offered) for offered in sorted({*options, value})}
    segments(name, say(f"settings.{name}"), labels, value, set_field(name), bare=False)


def _facts(trace: Trace) -> None:
    try:
        model = on_screen.plain_model()
    except GlassformerError:
        return
    transformer, device = model.transformer, str(model.device)
    parameters = store.once(
        lambda: sum(weight.numel() for weight in transformer.parameters()), transformer
    )
    now, draw = store.get_state(), partial(_draw_facts, trace, parameters, device)
    keep("facts", draw, now.language, now.text, parameters, device, trace.nbytes)


def _draw_facts(trace: Trace, parameters: int, device: str) -> None:
    """Where the model is, how large it is, and what runs take: all of them, as far as known now."""
    facts = (
        ("device", device),
        ("parameters", f"{parameters:,}"),
        ("trace", f"{trace.nbytes / 1e6:.1f} MB"),
        ("traces", f"{trace_bytes() / 1e6:.1f} MB"),
    )
    lines = [f"{say(f'settings.{name}')} · **{value}**" for name, value in facts]
    st.markdown("  \n".join(lines), help=say("settings.trace_help"))
