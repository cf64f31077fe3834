"""“Save…”: the pictures of the page, the numbers behind them, and the Python that makes them."""

from functools import partial
from typing import cast

import streamlit as st

from glassformer.app.frame import scene
from glassformer.app.panels.address_words import on_screen_lines, place
from glassformer.app.panels.panel import panel_in_view
from glassformer.app.panels.words.words_panel import attention_in_focus, kind_of
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.component import component
from glassformer.app.words import say
from glassformer.core.analysis import export
from glassformer.core.analysis.attention_views import Kind, attention_at
from glassformer.core.explain.steps.steps import list_steps, nearest_step
from glassformer.core.trace.trace import Trace

OF_THEIR_OWN = ("training", "lab")  # pages that show other runs than that of the sentence
MOST = 2_000_000  # numbers in a table: some 60 MB

_saving = component(__file__, "saving", scripts=("vector.js",))


def is_asked() -> bool:
    """Whether the dialog is opened in this run."""
    return bool(store.widget_value("saving"))


def show_button() -> None:
    """Draw the button; it opens the dialog."""
    if st.button(
        say("saving.open"),
        key="widget_saving",
        icon=":material/download:",
        type="tertiary",
        help=say("saving.open_help"),
    ):
        st.dialog(say("saving.title"), width="large")(_dialog)()


def _dialog() -> None:
    names = ("page", "picture", "paper", "failed", "saved")
    texts = {name: say(f"saving.{name}") for name in names}
    _saving("saving", {"texts": texts, "name": store.page_on_screen() or "translate"})
    if store.memory().shown is not None and store.page_on_screen() not in OF_THEIR_OWN:
        _numbers(on_screen.trace_on_screen())
    if store.page_on_screen() != "lectures":
        scene.show()


def _numbers(trace: Trace) -> None:
    """Draw the choice of a tensor, its table, and the lines that compute it."""
    now = store.get_state()
    first = [
        each for each in addresses_on_screen(now, store.page_on_screen(), trace) if each in trace
    ]
    st.markdown(f"**{say('saving.tensor')}**")
    address = st.selectbox(
        say("saving.tensor"),
        tuple(dict.fromkeys((*first, *trace))),
        key="widget_saving_tensor",
        format_func=lambda each: f"{each} · {_words(trace, each)}",
        label_visibility="collapsed",
    )
    at = _head(now, trace, address)
    st.code(_lines(trace, address, at), language="python")
    held = trace.pick(address, **at).numel()
    st.download_button(
        say("saving.csv", numbers=f"{held:,}"),
        data=partial(export.csv_bytes, trace, address, **at),
        file_name=f"{export.file_stem(address)}.csv",
        mime="text/csv",
        key="widget_saving_csv",
        icon=":material/table:",
        help=say("saving.csv_long" if held > MOST else "saving.csv_help"),
        disabled=held > MOST,
        on_click="ignore",
    )


def addresses_on_screen(now: State, page: str, trace: Trace) -> list[str]:
    """Addresses of what a page shows, what it is about first."""
    if page == "walkthrough":
        step = nearest_step(list_steps(trace), now.walk)
        return [wire.address for wire in (*step.outputs, *step.inputs)]
    if (panel := panel_in_view(page)) and panel.tensors:
        side = "source" if now.stack == "encoder" else "target"
        return [now.address, *(each.format(side=side, stack=now.stack) for each in panel.tensors)]
    if page in ("attention", "switch"):
        where = attention_at(cast(Kind, now.kind), now.layer)
        return [f"{where}/{name}" for name in (now.stage, "q", "k", "v")]
    words = f"{attention_at(kind_of(trace), attention_in_focus(now, trace)[0])}/weights"
    return [now.address if page == "tensors" else "", words, "output/probabilities"]


def _head(now: State, trace: Trace, address: str) -> dict[str, int]:
    """The head in focus, of a tensor that has heads."""
    if now.head is None:
        return {}
    has = any(axis.name == "head" and now.head < axis.size for axis in trace.axes(address))
    return {"head": now.head} if has else {}


def _words(trace: Trace, address: str) -> str:
    site = trace.site(address)
    return " › ".join(filter(None, (place(address), say(site.text_key))))


def _lines(trace: Trace, address: str, at: dict[str, int]) -> str:
    held = "".join(f", {axis}={index}" for axis, index in at.items())
    table = f"table = trace.table({address!r}{held})  # pandas; trace[{address!r}] is the tensor"
    return "\n".join((*on_screen_lines(trace), table))
