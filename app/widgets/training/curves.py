"""Top: the course of the training, the slider over its snapshots, the numbers of one of them."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import service, state
from app.figures.labels import format_number, format_percent
from app.figures.training_curves import (
    DASHES,
    EDGE,
    CurveTexts,
    Measured,
    curves_figure,
    metric_colour,
)
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart
from app.widgets.training.moving import Training
from app.widgets.training.player import player
from app.words import say
from core.training.quick import PAIRS, READINGS

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


def show(training: Training) -> None:
    """Draw the curves with the slider below them, and the numbers with the buttons beside."""
    at = training.place
    left, right = st.columns([4.4, 1.3], gap="small")
    with left.container(key="training_course", gap=None):
        figure = curves_figure(
            training.history.curve,
            measured(training),
            training.steps,
            _texts(training),
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
        player(len(training.steps), training.place, texts, accent, training.goer())

    def clicked(click: Click) -> None:
        training.goer()(round(click.x))

    plotly_clicks([CHART], clicked, key="course")


def _texts(training: Training) -> CurveTexts:
    shares = say("training.shares_of", pairs=PAIRS) if sample(training) else say("training.shares")
    return CurveTexts(
        loss=say("training.loss"),
        held_out=say("training.held_out"),
        shares=shares,
        hover=say("training.hover"),
    )


def share(training: Training) -> float:
    """Where the step in view lies on the axis, 0–1; the mark over the curves stands there."""
    return training.place / max(len(training.steps) - 1, 1)


def place_css(training: Training) -> str:
    """Where the mark over the curves stands, and where the slider below them begins."""
    look = training.look
    places = {
        "share": f"{share(training):.5f}",
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
        for name in METRICS
        if _was_measured(training, name)
    ]


def about_the_numbers(training: Training) -> str:
    """What each number means, as a list in markdown."""
    names = ["loss", *(name for name in METRICS if _was_measured(training, name))]
    rows = [
        f"- **{say('training.held_out' if name == 'loss' else f'training.metric_{name}')}** – "
        f"{say(f'training.about_{name}')}"
        for name in names
    ]
    return "\n".join([say("training.about"), "", *rows, *sample(training)])


def sample(training: Training) -> list[str]:
    """Which sentences are counted, and what the model card has of more of them, in markdown."""
    counted = service.get_exact_match(training.now.model)
    if not {"en-zh", "zh-en"} <= set(counted):
        return []
    values: dict[str, object] = {"pairs": PAIRS, "readings": READINGS}
    for way, (right, total) in counted.items():
        name = way.replace("-", "_")
        values |= {name: format_percent(right / total), f"{name}_of": f"{total:,}"}
    return ["", say("training.about_sample", **values)]


def _was_measured(training: Training, name: str) -> bool:
    return any(name in each.metrics for each in training.history.snapshots)


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
    return f'<table class="training-values">{"".join(rows)}</table>'


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
        training.goer()(training.steps.index(state.widget_value("training_step")))

    if len(training.steps) < 2:
        return
    st.select_slider(
        say("training.slider"),
        training.steps,
        key=state.bind("training_step", training.steps[training.place]),
        label_visibility="collapsed",
        on_change=take,
    )
