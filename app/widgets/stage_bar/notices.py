"""What the reader must know about what is on screen, and the ways out that go with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app import experiments, opened, service, state
from app.widgets.phrase_places import Speaker
from app.widgets.phrases import phrase
from app.widgets.stage_bar.moved import MOST, moved
from app.widgets.text import literal, told
from app.words import say
from core.edits import Experiment
from core.edits.masks import Fill
from core.edits.switch import Switch
from core.errors import GlassformerError
from core.reading.lost_numbers import Lost, first_lost

SEEN = "moved_seen"  # the run whose moved switches the reader knows of


@dataclass(frozen=True)
class Way:
    """A button beside a message: the words key below `experiment`, and what it does."""

    name: str
    act: Callable[[], None]


@dataclass(frozen=True)
class Notice:
    """One message, as markdown, and the ways out of it; `mild` where nothing is wrong."""

    text: str
    ways: tuple[Way, ...] = ()
    mild: bool = False

    @property
    def markdown(self) -> str:
        """The text behind its sign."""
        sign = ":orange[:material/info:]" if self.mild else ":red[:material/error:]"
        return f"{sign} {self.text}"


def notices(outcome: service.Outcome) -> tuple[Notice, ...]:
    """All that must be said, what stops the picture first."""
    found = [
        *_sentence(outcome),
        *_experiment(outcome),
        *_moved(outcome),
        *_numbers(outcome),
        *_second(outcome),
    ]
    if name := opened.let_go():
        found.append(Notice(say("opening.let_go", name=literal(name))))
    return (*found, *_link())


def _link() -> list[Notice]:
    names = say("edits.comma").join(say(f"link.{name}") for name in state.unlinked())
    return [Notice(say("link.too_large", names=names), mild=True)] if names else []


def _sentence(outcome: service.Outcome) -> list[Notice]:
    if outcome.error is None:
        return []
    if outcome.trace is None:
        return [Notice(told(outcome.error))]
    stale = say("frame.stale", text=literal(outcome.trace.source_text))
    space = "" if state.get_state().language == "zh" else " "
    return [Notice(f"{told(outcome.error)}{space}{stale}")]


def _experiment(outcome: service.Outcome) -> list[Notice]:
    found = []
    if outcome.switch_error is not None:
        back = Way("undo", experiments.undo)
        ways = (back,) if experiments.can_undo() else ()
        text = say("experiment.not_run", why=told(outcome.switch_error))
        found.append(Notice(text, (*ways, Way("reset", experiments.reset))))
    if outcome.left_out:
        found.append(_left_out(outcome.left_out))
    return found


def _left_out(misfits: dict[Switch, GlassformerError]) -> Notice:
    (first, error), *others = misfits.items()

    def take_out() -> None:
        now = experiments.now()
        kept = tuple(each for each in now.switches if each not in misfits)
        experiments.put(replace(now, switches=kept))

    text = say("experiment.left_out", switch=literal(phrase(first)), why=told(error))
    if others:
        text = f"{text} {say('experiment.left_out_more', count=len(others))}"
    return Notice(text, (Way("take_out", take_out),))


def _moved(outcome: service.Outcome) -> list[Notice]:
    """Which switch touches which word, where it was made on other ones, until it is seen."""
    setup = experiments.Setup.current()
    found = [] if outcome.error is not None or state.kept(SEEN) == setup else moved()
    if not found:
        return []
    (switch, before, after), *others = found
    between = say("edits.comma")
    words = {
        name: literal(between.join([*each[:MOST], *(["…"] if each[MOST:] else [])]) or "–")
        for name, each in (("before", before), ("after", after))
    }
    text = say("experiment.moved", switch=literal(phrase(switch)), **words)
    if others:
        text = f"{text} {say('experiment.moved_more', count=len(others))}"
    back = (Way("undo", experiments.undo),) if experiments.can_undo() else ()
    seen = Way("seen", lambda: state.keep(SEEN, setup))
    return [Notice(text, (*back, seen), mild=True)]


def _second(outcome: service.Outcome) -> list[Notice]:
    if outcome.second_error is None:
        return []
    return [Notice(say("experiment.second_not_run", why=told(outcome.second_error)))]


def _numbers(outcome: service.Outcome) -> list[Notice]:
    """Where the numbers of the switched run end, if they do."""
    if outcome.error is not None or not service.experiment():
        return []
    pair = service.pair()
    switched = [outcome.trace] if pair is None else [pair.second]
    if pair is not None and pair.kind == "sentences":
        switched = [pair.first, pair.second]
    found = (first_lost(each) for each in switched if each is not None)
    lost = next((each for each in found if each is not None), None)
    if lost is None:
        return []
    key = "lost_closed" if lost.closed_row else "lost"
    text = say(f"experiment.{key}", place=literal(_place(lost)))
    ways = [Way("undo", experiments.undo)] if experiments.can_undo() else []
    if not ways:
        ways = [Way("reset", experiments.reset)]
    if lost.closed_row:
        ways.append(Way("fill", fill_with_a_number))
    return [Notice(text, tuple(ways))]


def _place(lost: Lost) -> str:
    """The tensor in words, of a map with its head and row."""
    if not lost.closed_row:
        return Speaker().tensor(lost.address)
    _, head, query, _ = lost.index
    return Speaker().cells(lost.address, (("head", (head,)), ("query", (query,))))


def fill_with_a_number() -> None:
    """Let masks write −1e9 again, under which a closed row looks evenly at all keys."""
    now = experiments.now()
    switches = tuple(each for each in now.switches if not isinstance(each, Fill))
    chosen = Experiment(switches, now.name)
    if service.plain_model().config.mask_fill != "large_negative":
        chosen = chosen.having(Fill("large_negative"))
    experiments.put(chosen)
