"""Right, from the start on: how the run is doing, redrawn every second while it runs."""

from collections.abc import Sequence

import streamlit as st

from glassformer.app.pages.training.figures.workshop import curve_drawing, head_figure
from glassformer.app.plots.labels import escape, format_percent
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import trainings
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import segments
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say, say_each
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.history import SnapshotMetrics
from glassformer.core.training.queue.run import Status, TrainingRun

EVERY = 1.0  # seconds between two looks
ACTIVE = ("waiting", "running", "stopping")
TONES: dict[Status, str] = {
    "waiting": "wait", "running": "run", "stopping": "run", "stopped": "rest", "done": "good",
    "failed": "bad",
}  # fmt: skip
REASONS = ("diverged", "memory", "disk")  # as the log names them
MAP = (480, 470)  # pixels
TEXTS = {
    "loss": "workshop.view_loss",
    "held_out": "workshop.view_held_out",
    "step": "workshop.view_step",
    "translation": "workshop.view_translation",
    "right": "workshop.view_right",
    "nothing": "workshop.view_nothing",
}
Seen = Sequence[tuple[SnapshotMetrics, trainings.Glimpse]]  # saved steps, the newest first

_lesson_view = component(__file__, "lesson_view")


def show(status: Status) -> None:
    """Draw the reader's run; as long as it is active, it is looked at again and again."""
    st.fragment(_look, run_every=EVERY if status in ACTIVE else None)(status)


@wait_for_turn
def _look(drawn: Status) -> None:
    run = trainings.current_run()
    if run is None or run.status != drawn:
        st.rerun()  # the buttons beside have changed, too
    left, right = st.columns([1.35, 1], gap="medium")
    text, direction, pair = watched_sentence(run)
    seen: Seen = ()
    note = ""
    try:  # what each saved step makes of the sentence, and what is to be said
        saved = reversed(run.log.saved)
        seen = [(each, trainings.glimpse(run, each.step, text, direction)) for each in saved]
        if pair is not None:
            note = say("workshop.watches", first=literal(pair[0]), second=literal(pair[1]))
    except GlassformerError as error:
        note = format_error(error)
    with left, box("fill", "workshop_lesson"):
        _lesson(run, seen, pair)
    with right, st.container(gap="xsmall", key="workshop_head"):
        _head(seen, note)


def watched_sentence(run: TrainingRun) -> tuple[str, str, tuple[str, str] | None]:
    """Text, direction, and the pair if it is not the sentence of the stage bar.

    A run on one's own pairs whose words that sentence lacks watches a held-out pair instead.
    """
    now = store.get_state()
    pair = trainings.held_out_example(run)
    if pair is not None and run.log.saved:
        try:
            step = run.log.saved[-1].step
            own = trainings.glimpse(run, step, now.own_text, now.direction).unknown
        except GlassformerError:
            own = True
        if own:
            return pair[0], "en-zh", pair
    return now.own_text, now.direction, None


def _lesson(run: TrainingRun, seen: Seen, pair: tuple[str, str] | None) -> None:
    """A bar, some facts, the growing curve, and a row a saved step, changed in place."""
    look, steps = current_look(), run.plan.recipe.steps
    texts = say_each(TEXTS)
    if pair is not None:
        texts["translation"] = say("workshop.view_own_translation", text=pair[0])
    data = {
        "tone": TONES[run.status],
        "headline": training_headline(run),
        "share": run.log.step / steps,
        "facts": training_facts(run, look),
        "drawing": curve_drawing(run.log.curve, run.log.saved, steps),
        "rows": [
            {"step": str(each.step), "text": glimpse.text, "right": _right(each)}
            for each, glimpse in seen
        ],
        "language": seen[0][1].language if seen else "zh",
        "texts": texts,
    }
    _lesson_view("lesson_view", data, height="stretch")


def training_headline(run: TrainingRun) -> str:
    """What is going on, in a few words."""
    if run.status == "waiting":
        desk = trainings.training_desk()
        return say("workshop.headline_waiting", place=desk.place(run), slots=desk.slots)
    if run.status == "running" and run.log.phase != "training":
        return say("workshop.headline_words")
    if run.status == "failed":
        # Without a reason the process was ended from outside.
        why = run.log.reason or "ended"
        why = why if why in (*REASONS, "ended") else "other"
        return say(f"workshop.failed_{why}", step=run.log.step, reason=run.log.reason)
    steps = run.plan.recipe.steps
    how = "handed_over" if run.handed_over and run.status == "stopped" else run.status
    return say(f"workshop.headline_{how}", step=f"{run.log.step:,}", steps=f"{steps:,}")


def training_facts(run: TrainingRun, look: FigureStyle) -> list[tuple[str, str]]:
    """The numbers under the bar: the same ones all the time, a dash where one is not known."""
    log, none = run.log, "–"
    running = run.status in ("running", "stopping")
    left = run.seconds_left if run.status == "running" else None
    known = {
        "left": none if left is None else duration_in_words(left),
        "speed": none if log.speed is None or not running else f"{log.speed:.3g}",
        "loss": none if log.loss is None else look.number(log.loss),
        "vocabulary": f"{log.facts['vocabulary']:,}" if log.facts else none,
        "parameters": f"{log.facts['parameters']:,}" if log.facts else none,
        "pairs": f"{log.facts['pairs']:,}" if log.facts.get("pairs") else say("workshop.fresh"),
    }
    return [(say(f"workshop.fact_{name}"), value) for name, value in known.items()]


def duration_in_words(seconds: float) -> str:
    """A time as one says it: "35 s", "4 min"; rounded so that it does not flicker."""
    if seconds < 55:
        return say("workshop.seconds", count=max(5, 5 * round(seconds / 5)))
    return say("workshop.minutes", count=max(1, round(seconds / 60)))


def _right(each: SnapshotMetrics) -> str:
    shares = [each.metrics.get(f"exact_{way}") for way in ("en_zh", "zh_en")]
    known = [share for share in shares if share is not None]
    return format_percent(sum(known) / len(known)) if known else "–"


def _head(seen: Seen, note: str) -> None:
    if not seen:
        st.caption(note or say("workshop.no_head_yet"))
        return
    each, glimpse = seen[0]
    layer, head = _pick(*glimpse.weights.shape[:2])
    look = current_look()
    weights, template = glimpse.weights[layer, head], escape(say("workshop.hover"))
    size = look.px(MAP[0]), look.px(MAP[1])
    figure = head_figure(weights, glimpse.written, glimpse.columns, template, look, size)
    alt = say("workshop.alt_head", layer=layer + 1, head=head + 1, step=each.step)
    show_chart(figure, "workshop_map", alt)
    st.caption(note or say("workshop.head_note", step=f"{each.step:,}"))


def _pick(layers: int, heads: int) -> tuple[int, int]:
    """Which head is shown: of the last layer, the first one, until the reader picks another."""
    layer, head = store.get_state().watched or (layers - 1, 0)
    layer, head = min(layer, layers - 1), min(head, heads - 1)

    def take(_: int) -> None:
        picked = [store.widget_value(f"workshop_see_{name}") for name in ("layer", "head")]
        store.update(watched=tuple(picked))

    st.markdown(f"**{say('workshop.head_title')}**", help=say("workshop.head_help"))
    with st.container(horizontal=True, gap="small", key="workshop_see"):
        for name, count, value in (("layer", layers, layer), ("head", heads, head)):
            labels = {index: str(index + 1) for index in range(count)}
            label = say(f"workshop.see_{name}")
            segments(f"workshop_see_{name}", label, labels, value, take, bare=False)
    return layer, head
