"""The course of the training, where the reader stands in it, and the way to another step."""

from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

import streamlit as st

from glassformer.app.pages.training.figures.curves import DASHES, EDGE, curves_figure
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.labels import format_percent
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import on_screen
from glassformer.app.runs.models import get_exact_match, get_history
from glassformer.app.runs.traces import get_replay, get_trace
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.components.player import draw_player
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.text import with_arrows
from glassformer.app.words import say, say_each
from glassformer.core.analysis.training_views import Replay
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.history import History
from glassformer.core.trace.trace import Trace
from glassformer.core.training.evaluate import QUICK_PAIRS, QUICK_READINGS

METRICS = (
    "exact_en_zh", "exact_zh_en", "coreference", "alignment", "antecedent",
    "previous_word", "induction",
)  # fmt: skip
FEW = ("exact_en_zh", "exact_zh_en")  # one meaning, one axis: what is seen at first
HEIGHTS = {"few": 132, "all": 196}
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
    look: FigureStyle

    @staticmethod
    def current() -> "Training | None":
        """What there is to show; None for a model without history.

        A sentence that cannot be translated leaves the last good one on screen.
        Raises GlassformerError where history or snapshots cannot be read.
        """
        now = replace(store.get_state(), step=on_screen.step_in_view())
        history = get_history(now.model)
        if history is None or not history.steps:
            return None
        try:
            replay = get_replay(now.own_text, now.direction, now.model)
            end = get_trace(now.own_text, now.direction, now.model)
            store.memory().replay = (now.model, replay, end) if replay else None
        except GlassformerError:
            held = store.memory().replay
            if held is None or held[0] != now.model:
                raise
            _, replay, end = held
        if replay is None:
            return None
        return Training(now, on_screen.trace_on_screen(), end, history, replay, current_look())

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps that have a snapshot, the end last."""
        return self.replay.steps

    @property
    def place(self) -> int:
        """Which of the steps is in view."""
        return self.steps.index(int(self.now.step)) if self.now.step else len(self.steps) - 1

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """What was measured at any snapshot, by name."""
        found = [each.metrics for each in self.history.snapshots]
        return tuple(name for name in METRICS if any(name in each for each in found))

    @property
    def curves(self) -> str:
        """Few curves or all: all where the few were not measured."""
        return self.now.curves if set(FEW) & set(self.measured) else "all"

    @property
    def height(self) -> int:
        """Of the figure, in pixels."""
        return self.look.px(HEIGHTS[self.curves])

    def go(self, place: int) -> None:
        """Go to one of the steps by its place; the last one is the end: links leave it out."""
        if place == len(self.steps) - 1:
            store.update(step="", course="end")
        else:
            store.update(step=str(self.steps[place]), course="start")


def show(training: Training) -> None:
    """Draw the curves with the slider below them, and the numbers with the buttons beside."""
    at = training.place
    left, right = st.columns([4.4, 1.3], gap="small")
    with left.container(key="training_course", gap=None):
        texts = say_each("training.loss training.held_out training.hover")
        texts["shares"] = shares_title(training)
        if training.trace.task == "continue":
            texts["loss"] = say("training.loss_pieces")
            texts["shares"] = say("training.shares_weights")
        whole = training.curves == "all"
        held_out = [each.metrics.get("loss") for each in training.history.snapshots]
        figure = curves_figure(
            training.history.curve if whole else (), measured_metrics(training), training.steps,
            texts, training.look, training.height, held_out if whole else (),
        )  # fmt: skip
        alt = say("training.alt_curves")
        show_chart(figure, "training_curves", alt, clicked=lambda at: training.go(round(at.x)))
        st.html(place_css(training))
        _slider(training)
    with right.container(key="training_numbers", gap="xsmall"):
        with st.container(key="training_step_name"):
            step = say("training.step_of", step=training.steps[at], last=training.steps[-1])
            st.markdown(f"**{step}**", help=about_the_numbers(training))
        st.html(numbers_html(training))
        if set(FEW) & set(training.measured):
            draw_choice(
                "training_curves", "training.curves", HEIGHTS, training.curves, set_field("curves")
            )
        names = ("back", "play", "stop", "on")
        texts = {name: with_arrows(say(f"training.go_{name}")) for name in names}
        accent = training.look.colour("weights")
        draw_player(len(training.steps), training.place, texts, accent, training.go)


def shares_title(training: Training) -> str:
    """What the shares are of: of so many pairs, where the model card counts more of them."""
    return say(
        "training.shares_of" if sample_sentences(training) else "training.shares", pairs=QUICK_PAIRS
    )


def place_css(training: Training) -> str:
    """Where the mark over the curves stands, and where the slider below them begins."""
    look, share = training.look, training.place / max(len(training.steps) - 1, 1)
    places = {
        "share": f"{share:.5f}",  # where the step in view lies on the axis
        "edge": f"{look.px(EDGE)}px",
        "top": f"{look.px(20)}px",
        "plot": f"{training.height - look.px(44)}px",
        "mark": "var(--weights)",
    }
    rules = "; ".join(f"--training-{name}: {value}" for name, value in places.items())
    return f"<style>:root {{ {rules}; }}</style>"


def measured_metrics(training: Training) -> dict[str, list[float | None]]:
    """The metrics that were measured at any snapshot: what each is called, its values."""
    snapshots = training.history.snapshots
    return {
        say(f"training.metric_{name}"): [each.metrics.get(name) for each in snapshots]
        for name in metrics(training)
    }


def metrics(training: Training) -> list[str]:
    """Whose curves are drawn, by name."""
    return [name for name in training.measured if training.curves == "all" or name in FEW]


def about_the_numbers(training: Training) -> str:
    """What each number means, as a list in markdown."""
    loss = "loss_pieces" if training.trace.task == "continue" else "loss"
    names = {loss: say("training.held_out")} if training.curves == "all" else {}
    names |= {name: say(f"training.metric_{name}") for name in metrics(training)}
    rows = [f"- **{name}** – {say(f'training.about_{key}')}" for key, name in names.items()]
    return "\n".join([say("training.about"), "", *rows, *sample_sentences(training)])


def sample_sentences(training: Training) -> list[str]:
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
    diamond = '<b style="color:var(--faint)">◆</b>'
    rows = [(diamond, say("training.held_out"), "–" if loss is None else look.number(loss))]
    rows = rows if training.curves == "all" else []
    for place, (name, values) in enumerate(measured_metrics(training).items()):
        share = values[at]
        line = _line(head_colour(place, look.dark), DASHES[place % len(DASHES)])
        rows.append((line, name, "–" if share is None else format_percent(share)))
    table = "".join(
        f"<tr><td>{sign}</td><td>{escape(name)}</td><td>{escape(value)}</td></tr>"
        for sign, name, value in rows
    )
    return f'<table class="plain training-values">{table}</table>'


def _line(colour: str, dash: str) -> str:
    stops, end = list[str](), 0.0
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
    label, steps = say("training.slider"), training.steps
    shown = store.bind("training_step", steps[training.place])
    st.select_slider(label, steps, **shown, label_visibility="collapsed", on_change=take)
