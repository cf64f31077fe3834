"""The KV-cache: what each step reuses and computes, what it saves, and that the numbers stay."""

from html import escape

import streamlit as st

from glassformer.app.pages.decoding.cache.figures import cache_work
from glassformer.app.pages.decoding.run import Decoding, go_to_step, take_back
from glassformer.app.pages.decoding.strip import draw_strip, table_html
from glassformer.app.panels.address_words import format_bytes
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.words import say, say_each
from glassformer.core.decoding.greedy import EQUAL
from glassformer.core.decoding.timeline import Moment, measure_speed, total_costs, word_states

HEIGHT = 420
BARS = ("reused", "computed", "without")
PARTS = ("rows", "keys_and_values", "scores")  # of a PassCost


def show() -> None:
    """Draw the strip, the work of every step, and what it comes to."""
    look = current_look()
    decoding = Decoding.current()
    place = decoding.place(store.get_state())
    with st.container(key="cache_strip"):
        draw_strip(decoding.run, place, take_back, "cache_steps", bars=False)
    with st.container(key="cache_main"):
        left, right = st.columns([7, 4.6], gap="medium")
        with left, st.container(key="cache_left", gap="xsmall"):
            _picture(decoding, place, look)
        with right, box("fill scroll", "cache_right", gap="xsmall"):
            _says(decoding, place, look)


def _picture(decoding: Decoding, place: int, look: FigureStyle) -> None:
    first, moments = decoding.run.first, decoding.run.moments[decoding.run.first :]
    texts = {name: say(f"kv_cache.{name}") for name in (*BARS, "step", "numbers")}
    st.markdown(f"**{say('kv_cache.title')}**")
    both = decoding.trace.config.has_both
    st.caption(say("kv_cache.about" if both else "kv_cache.about_alone"))
    uses = [each.cache for each in moments]
    counts = [(use.kept, use.with_cache.keys_and_values, use.recomputed) for use in uses]
    bars = dict(zip(BARS, zip(*counts, strict=True), strict=True))
    hovers = [step_text(each, first) for each in moments]
    figure = cache_work(bars, place - first, hovers, texts, look, look.px(HEIGHT))

    def clicked(click: Click) -> None:
        go_to_step(first + min(max(round(click.x), 0), len(moments) - 1))

    with box("fill", "cache_bars"):
        show_chart(figure, "cache_work", say("kv_cache.alt"), fill=True, clicked=clicked)


def step_text(moment: Moment, first: int = 0) -> str:
    """The numbers of one step, in a few lines. first: the place of the step that counts as 1."""
    use = moment.cache
    counts = {"kept": use.kept, "added": use.added, "without": use.recomputed}
    return say(
        "kv_cache.step_text",
        step=moment.position - first + 1,
        computed=f"{use.with_cache.keys_and_values:,}",
        **{name: f"{count:,}" for name, count in counts.items()},
        **{
            f"{name}_bytes": format_bytes(count * use.number_bytes)
            for name, count in counts.items()
        },
    )


def _says(decoding: Decoding, place: int, look: FigureStyle) -> None:
    run, config = decoding.run, decoding.translator.config
    moments = run.moments[run.first :]
    if decoding.edits:
        st.info(say("kv_cache.switched"))
    st.markdown(f"**{say('kv_cache.this_step', step=run.number(place))}**")
    lines = "<br>".join(escape(step_text(run.moments[place])).splitlines()[1:])
    st.html(f'<p class="cache-step">{lines}</p>')
    if not decoding.edits:  # with switches nothing is kept
        sizes = {"layers": config.decoder_layers, "d_model": word_states(config) // 2}
        said = "a_word" if config.has_both else "a_word_alone"
        values = {"heads": config.n_heads, "keys": config.key_heads} | sizes
        number_bytes = run.moments[place].cache.number_bytes
        st.caption(say(f"kv_cache.{said}", bytes=number_bytes, **values))
        if config.key_heads != config.n_heads:
            st.caption(say("kv_cache.shared", times=config.n_heads // config.key_heads, **values))
    st.markdown(f"**{say('kv_cache.all_steps', steps=len(moments))}**")
    st.html(totals_html(moments))
    if not decoding.edits:
        last = moments[-1].cache
        st.caption(
            say("kv_cache.memory", bytes=format_bytes((last.kept + last.added) * last.number_bytes))
        )
        worst = decoding.cache_difference
        key = "kv_cache.equal" if worst <= EQUAL else "kv_cache.unequal"
        st.markdown(say(key, difference=look.number(worst)))
    _measure(decoding, look)


def totals_html(moments: tuple[Moment, ...]) -> str:
    """All steps together: rows, keys and values, scores, with the cache and without it."""
    cached, fresh = total_costs(moments)
    heads = say_each(
        "kv_cache.head_what kv_cache.head_with kv_cache.head_without kv_cache.head_times"
    ).values()
    works = zip(PARTS, cached, fresh, fresh.over(cached), strict=True)
    rows = (
        (escape(say(f"kv_cache.part_{part}")), f"{kept:,}", f"{anew:,}",
         f"<b>{format_number(times, 2)}×</b>")
        for part, kept, anew, times in works
    )  # fmt: skip
    return table_html("cache-totals", heads, rows)


def _measure(decoding: Decoding, look: FigureStyle) -> None:
    trace, words, speed = store.memory().cache_speed or (None, (), None)
    known = speed if trace is decoding.trace and words == decoding.run.words else None
    with side_by_side("cache_measure", "rows-2", gap="small"):
        # Not in a callback: what takes long may wait for its turn in a run, and can be stopped.
        if st.button(
            say("kv_cache.measure"), key="cache_measure_now", icon=":material/timer:",
            help=say("kv_cache.measure_help"), width="content",
        ):  # fmt: skip
            known = measure_speed(decoding.model, decoding.task, decoding.run.words)
            store.memory().cache_speed = (decoding.trace, decoding.run.words, known)
        if known is None:
            st.markdown(say("kv_cache.not_measured"))
            return
        times = {
            "cached": look.number(1000 * known.with_cache),
            "fresh": look.number(1000 * known.without_cache),
            "ratio": format_number(known.ratio, 2),
        }
        st.markdown(say("kv_cache.measured", **times, rounds=known.rounds))
