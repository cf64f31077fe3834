"""The course of the training, where the reader stands in it, and the way to another step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape

import streamlit as st

from app.pages.training.figures.curves import (
    DASHES,
    EDGE,
    CurveTexts,
    Measured,
    curves_figure,
    metric_colour,
)
from app.plots.labels import format_number, format_percent
from app.plots.theme import Look
from app.runs import on_screen
from app.runs.models import get_exact_match, get_history
from app.runs.traces import get_replay, get_trace
from app.session import store
from app.session.state import State
from app.ui.bridge import Click, plotly_clicks
from app.ui.chart import current_look, show_chart
from app.ui.components.player import player
from app.words import say
from core.analysis.training_views import Replay
from core.errors import GlassformerError
from core.history import History
from core.trace.trace import Trace
from core.training.evaluate import QUICK_PAIRS, QUICK_READINGS

METRICS = ("exact_en_zh", "exact_zh_en", "coreference", "alignment", "antecedent")
HEIGHT = 196
CHART = "training_curves"
# The lines of the figure in CSS: (from, to) of the coloured parts of 14 pixels.
INKED = {
    "solid": ((0.0, 14.0),),
    "dash": ((0.0, 4.0), (7.0, 11.0)),
    "dot": ((0.0, 2.0), (3.5, 5.5), (7.0, 9.0), (10.5, 12.5)),
    "dashdot": ((0.0, 7.0), (9.5, 11.5)),
    "longdash": ((0.0, 9.0),),
}


@dataclass(frozen=True)
class Training:
    """What the panels of the page share."""

    now: State
    trace: Trace  # the sentence at the step in view
    end: Trace  # the sentence at the end of the training
    history: History
    replay: Replay
    look: Look

    @staticmethod
    def current() -> Training | None:
        """What there is to show; None for a model without history.

        A sentence that cannot be translated leaves the last good one on screen.
        Raises GlassformerError where history or snapshots cannot be read.
        """
        now = store.get_state()
        history = get_history(now.model)
        if history is None or not history.steps:
            return None
        try:
            replay = get_replay(now.text, now.direction, now.model)
            end = get_trace(now.text, now.direction, now.model)
            store.memory().replay = (now.model, replay, end) if replay else None
        except GlassformerError:
            held = store.memory().replay
            if held is None or held[0] != now.model:
                raise
            _, replay, end = held
        if replay is None:
            return None
        return Training(now, on_screen.trace(), end, history, replay, current_look())

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps that have a snapshot, the end last."""
        return self.replay.steps

    @property
    def place(self) -> int:
        """Which of the steps is in view."""
        return self.steps.index(int(self.now.step)) if self.now.step else len(self.steps) - 1

    def go(self, place: int) -> None:
        """Go to one of the steps by its place; the last one is the end: links leave it out."""
        store.update(step="" if place == len(self.steps) - 1 else str(self.steps[place]))


def show(training: Training) -> None:
    """Draw the curves with the slider below them, and the numbers with the buttons beside."""
    at = training.place
    left, right = st.columns([4.4, 1.3], gap="small")
    with left.container(key="training_course", gap=None):
        figure = curves_figure(
            training.history.curve,
            measured(training),
            training.steps,
            CurveTexts(
                loss=say("training.loss"),
                held_out=say("training.held_out"),
                shares=shares_title(training),
                hover=say("training.hover"),
            ),
            training.look,
            training.look.px(HEIGHT),
            [each.metrics.get("loss") for each in training.history.snapshots],
        )
        show_chart(figure, CHART, say("training.alt_curves"))
        st.html(place_css(training))
        _slider(training)
    with right.container(key="training_numbers", gap="xsmall"):
        with st.container(key="training_step_name"):
            step = say("training.step_of", step=training.steps[at], last=training.steps[-1])
            st.markdown(f"**{step}**", help=about_the_numbers(training))
        st.html(numbers_html(training))
        texts = {name: say(f"training.go_{name}") for name in ("back", "play", "stop", "on")}
        accent = training.look.colour("weights")
        player(len(training.steps), training.place, texts, accent, training.go)

    def clicked(click: Click) -> None:
        training.go(round(click.x))

    plotly_clicks([CHART], clicked, key="course")


def shares_title(training: Training) -> str:
    """What the shares are of: of so many pairs, where the model card counts more of them."""
    return say("training.shares_of" if sample(training) else "training.shares", pairs=QUICK_PAIRS)


def place_css(training: Training) -> str:
    """Where the mark over the curves stands, and where the slider below them begins."""
    look, share = training.look, training.place / max(len(training.steps) - 1, 1)
    places = {
        "share": f"{share:.5f}",  # where the step in view lies on the axis
        "edge": f"{look.px(EDGE)}px",
        "top": f"{look.px(20)}px",
        "plot": f"{look.px(HEIGHT) - look.px(44)}px",
        "mark": look.colour("weights"),
    }
    rules = "; ".join(f"--training-{name}: {value}" for name, value in places.items())
    return f"<style>:root {{ {rules}; }}</style>"


def measured(training: Training) -> list[Measured]:
    """The metrics that were measured at any snapshot."""
    return [
        Measured(
            say(f"training.metric_{name}"),
            [each.metrics.get(name) for each in training.history.snapshots],
        )
        for name in metrics(training)
    ]


def metrics(training: Training) -> list[str]:
    """What was measured at any snapshot, by name."""
    snapshots = training.history.snapshots
    return [name for name in METRICS if any(name in each.metrics for each in snapshots)]


def about_the_numbers(training: Training) -> str:
    """What each number means, as a list in markdown."""
    names = ["loss", *metrics(training)]
    rows = [
        f"- **{say('training.held_out' if name == 'loss' else f'training.metric_{name}')}** – "
        f"{say(f'training.about_{name}')}"
        for name in names
    ]
    return "\n".join([say("training.about"), "", *rows, *sample(training)])


def sample(training: Training) -> list[str]:
    """Which sentences are counted, and what the model card has of more of them, in markdown."""
    counted = get_exact_match(training.now.model)
    if not {"en-zh", "zh-en"} <= set(counted):
        return []
    values: dict[str, object] = {"pairs": QUICK_PAIRS, "readings": QUICK_READINGS}
    for way, (right, total) in counted.items():
        name = way.replace("-", "_")
        values |= {name: format_percent(right / total), f"{name}_of": f"{total:,}"}
    return ["", say("training.about_sample", **values)]


def numbers_html(training: Training) -> str:
    """The numbers of the step in view, each behind the line that it belongs to."""
    look, at = training.look, training.place
    loss = training.history.snapshots[at].metrics.get("loss")
    written = "–" if loss is None else format_number(loss, look.precision)
    diamond = f'<b style="color:{look.colour("faint")}">◆</b>'
    rows = [_row(diamond, say("training.held_out"), written)]
    for place, each in enumerate(measured(training)):
        value = each.shares[at]
        written = "–" if value is None else format_percent(value)
        line = _line(metric_colour(place, look), DASHES[place % len(DASHES)])
        rows.append(_row(line, each.name, written))
    return f'<table class="plain training-values">{"".join(rows)}</table>'


def _row(sign: str, name: str, value: str) -> str:
    return f"<tr><td>{sign}</td><td>{escape(name)}</td><td>{escape(value)}</td></tr>"


def _line(colour: str, dash: str) -> str:
    stops: list[str] = []
    end = 0.0
    for start, stop in INKED[dash]:
        stops += [f"transparent {end}px {start}px", f"{colour} {start}px {stop}px"]
        end = stop
    stops.append(f"transparent {end}px 14px")
    return f'<i style="background:repeating-linear-gradient(90deg, {", ".join(stops)})"></i>'


def _slider(training: Training) -> None:
    def take() -> None:
        training.go(training.steps.index(store.widget_value("training_step")))

    if len(training.steps) < 2:
        return
    st.select_slider(
        say("training.slider"),
        training.steps,
        key=store.bind("training_step", training.steps[training.place]),
        label_visibility="collapsed",
        on_change=take,
    )
