"""The strip of the page's steps: its columns and what they say."""

from __future__ import annotations

from collections.abc import Callable

from app import state
from app.figures.labels import format_number, format_percent, visible
from app.figures.theme import Look
from app.widgets.decoding.run import Run
from app.widgets.decoding_strip import Column, decoding_strip
from app.words import say
from core.text.vocabulary import END

TEXTS = ("label", "number", "reads", "writes", "percent", "entropy", "end", "undo", "slider")
MOST = 2.0  # nats at which the bar of the entropy is full, unless a step has more


def draw_strip(
    run: Run, now: int, look: Look, on_undo: Callable[[int], None], key: str,
    on_go: Callable[[int], None] | None = None, bars: bool = True,
) -> None:  # fmt: skip
    """Draw a decoding as a strip; without `on_go` a click moves the step in focus."""
    texts = {name: say(f"timeline.strip_{name}") for name in TEXTS}
    go = on_go or (lambda place: _go(place))
    decoding_strip(columns_of(run), now, texts, look, go, on_undo, key=key, bars=bars)


def _go(place: int) -> None:
    state.update(moment=place)


def columns_of(run: Run) -> list[Column]:
    """A column a step, its numbers as they are written."""
    most = max([MOST, *(moment.step.entropy for moment in run.moments)])
    return [_column(run, place, most) for place in range(len(run.moments))]


def _column(run: Run, place: int, most: float) -> Column:
    step, reads = run.moments[place].step, visible(run.trace.target_tokens[place])
    writes, percent = written(run, place), format_share(step.probability)
    named = writes or say("timeline.strip_end")
    title = say("timeline.column", step=place + 1, reads=reads, writes=named, percent=percent)
    guarded = step.guarded is not None
    return Column(
        reads=reads,
        writes=writes,
        percent=percent,
        share=_bounded(step.probability),
        entropy=format_number(step.entropy, 2),
        spread=_bounded(step.entropy / most),
        title=f"{title} · {say('timeline.guard_spoke')}" if guarded else title,
        start=place == 0,
        forced=place in run.forced,
        guarded=guarded,
    )


def written(run: Run, place: int) -> str:
    """The word that a step wrote; "" for the end."""
    ended = run.trace.output_pieces[place] == END
    return "" if ended else visible(run.trace.output_tokens[place])


def format_share(share: float) -> str:
    """A probability as a percentage; one that is no number says so."""
    return format_percent(share) if share == share else "NaN"


def _bounded(share: float) -> float:
    return round(share, 4) if 0 <= share <= 1 else 0.0
