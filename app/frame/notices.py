"""What the reader must know about what is on screen, and the ways out that go with it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from glassformer.app.panels.address_words import Speaker, word_sides
from glassformer.app.panels.phrases import phrase
from glassformer.app.plots.labels import visible
from glassformer.app.runs import on_screen, opened_files, untrained
from glassformer.app.runs.engine.runner import current_runner
from glassformer.app.runs.traces import get_trace
from glassformer.app.session import experiments, store
from glassformer.app.session.state import Setup
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.analysis.measure import first_lost
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.heads import HeadsRedirected
from glassformer.core.interventions.masks import Fill, Lines, Painted
from glassformer.core.interventions.switch import Switch
from glassformer.core.interventions.tensors import Slice
from glassformer.core.trace.address import Address
from glassformer.core.trace.trace import Trace

MOST = 4  # words that are named
Moved = tuple[Switch, list[str], list[str]]


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


def notices(outcome: on_screen.Outcome) -> tuple[Notice, ...]:
    """All that must be said, what stops the picture first."""
    trouble = current_runner().trouble
    engine = (Notice(format_error(trouble), mild=True),) if trouble else ()
    return (*_all(outcome), *engine)


def _all(outcome: on_screen.Outcome) -> Iterator[Notice]:
    if outcome.error is not None:
        stale = outcome.trace and say("frame.stale", text=literal(outcome.trace.source_text))
        parts = [format_error(outcome.error), *([stale] if stale else [])]
        yield Notice(say("language.gap").join(parts))
    if outcome.chat_error is not None and outcome.error is None:
        yield Notice(
            format_error(outcome.chat_error), (Way("as_typed", lambda: store.update(chat="off")),)
        )
    if outcome.switch_error is not None:
        text = say("experiment.not_run", why=format_error(outcome.switch_error))
        yield Notice(text, (*_undo(), Way("reset", experiments.reset_experiment)))
    if outcome.left_out:
        yield _left_out(outcome.left_out)
    if untrained.is_untrained(store.get_state().model) and outcome.error is None:
        trained = Way("trained", lambda: store.update(model=""))
        yield Notice(say("frame.untrained_note"), (trained,), mild=True)
    if outcome.error is None:
        yield from _moved()
        yield from _numbers(outcome)
    if outcome.second_error is not None:
        yield Notice(say("experiment.second_not_run", why=format_error(outcome.second_error)))
    if name := opened_files.let_go():
        yield Notice(say("opening.let_go", name=literal(name)))
    if names := say("language.comma").join(
        say(f"link.{name}") for name in store.fields_not_linked()
    ):
        yield Notice(say("link.too_large", names=names), mild=True)


def _undo() -> tuple[Way, ...]:
    return (Way("undo", experiments.undo_experiment),) if experiments.can_undo() else ()


def _left_out(misfits: dict[Switch, GlassformerError]) -> Notice:
    (first, error), *others = misfits.items()

    def take_out() -> None:
        now = experiments.current_experiment()
        kept = tuple(each for each in now.switches if each not in misfits)
        experiments.switch_to(replace(now, switches=kept))

    text = say("experiment.left_out", switch=literal(phrase(first)), why=format_error(error))
    if others:
        text = f"{text} {say('experiment.left_out_more', count=len(others))}"
    return Notice(text, (Way("take_out", take_out),))


def _moved() -> Iterator[Notice]:
    """Which switch touches which word, where it was made on other ones, until it is seen."""
    setup = store.get_state().setup
    found = [] if store.memory().moved_seen == setup else moved_switches()
    if not found:
        return
    (switch, before, after), *others = found
    between = say("language.comma")
    words = {
        name: literal(between.join([*each[:MOST], *(["…"] if each[MOST:] else [])]) or "–")
        for name, each in (("before", before), ("after", after))
    }
    text = say("experiment.moved", switch=literal(phrase(switch)), **words)
    if others:
        text = f"{text} {say('experiment.moved_more', count=len(others))}"

    def see() -> None:
        store.memory().moved_seen = setup

    yield Notice(text, (*_undo(), Way("seen", see)), mild=True)


def _numbers(outcome: on_screen.Outcome) -> Iterator[Notice]:
    """Where the numbers of the switched run end, if they do."""
    if not on_screen.experiment_on_screen():
        return
    pair = on_screen.pair_on_screen()
    switched = [outcome.trace] if pair is None else [pair.second]
    if pair is not None and pair.kind == "sentences":
        switched = [pair.first, pair.second]
    found = (first_lost(each) for each in switched if each is not None)
    lost = next((each for each in found if each is not None), None)
    if lost is None:
        return
    ways = _undo() or (Way("reset", experiments.reset_experiment),)
    key, place = "experiment.lost", Speaker().tensor(lost.address)
    if lost.closed_row:
        _, head, query, _ = lost.index
        at = (("head", (head,)), ("query", (query,)))
        key, place = "experiment.lost_closed", Speaker().cells(lost.address, at)
        ways = (*ways, Way("fill", fill_with_a_number))
    yield Notice(say(key, place=literal(place)), ways)


def fill_with_a_number() -> None:
    """Let masks write −1e9 again, under which a closed row looks evenly at all keys."""
    now = experiments.current_experiment()
    switches = tuple(each for each in now.switches if not isinstance(each, Fill))
    chosen = Experiment(switches, now.name)
    if on_screen.plain_model().config.mask_fill != "large_negative":
        chosen = chosen.having(Fill("large_negative"))
    experiments.switch_to(chosen)


def moved_switches() -> list[Moved]:
    """Each such switch, the words it was made on, and those that it touches in this sentence."""
    now = store.get_state().setup
    plain = _plain(now)
    found = []
    for switch in experiments.current_experiment().switches:
        made = _made(switch)
        if (
            plain is None
            or _sentence_of(made) == _sentence_of(now)
            or switch in on_screen.left_out()
        ):
            continue
        before = _plain(made)
        if before is None:
            continue
        old, new = _words(switch, before), _words(switch, plain)
        if old != new:
            found.append((switch, old, new))
    return found


def switch_places(switch: Switch) -> list[tuple[str, int]]:
    """The positions that a switch names, each with its side: "source" or "target"."""
    rows: Iterable[int] = ()
    columns: Iterable[int] = ()
    if isinstance(switch, HeadsRedirected):
        rows, columns, where = switch.rows, (switch.key,), switch.where
    elif isinstance(switch, Lines):
        rows, columns, where = switch.rows, switch.columns, switch.where
    elif isinstance(switch, Painted):
        spans, where = (*switch.hidden, *switch.shown), switch.where
        rows = dict.fromkeys(row for row, _, _ in spans)
        columns = dict.fromkeys(at for _, first, last in spans for at in range(first, last + 1))
    elif isinstance(switch, Slice):
        at, found = dict(switch.at), Address.of(switch.address)
        where = found.place
        if "position" in at:
            return [(found.side, place) for place in at["position"]]
        rows, columns = at.get("query", ()), at.get("key", ())
    else:
        return []
    down, across = word_sides(where)
    return [*((down, place) for place in rows), *((across, place) for place in columns)]


def _made(switch: Switch) -> Setup:
    """The run that it was switched on in: the first of those that have had it since."""
    history = experiments.history_of_setups()
    made = history.now
    for before in reversed(history.past):
        try:
            if switch not in experiments.parse_experiment(before.edits):
                break
        except GlassformerError:
            break
        made = before
    return made


def _sentence_of(setup: Setup) -> tuple[str, ...]:
    return setup.line, setup.direction, setup.model, setup.chat


def _plain(setup: Setup) -> Trace | None:
    try:
        return get_trace(setup.line, setup.direction, setup.model, setup.version)
    except GlassformerError:
        return None  # the stage bar says it


def _words(switch: Switch, trace: Trace) -> list[str]:
    words = {"source": trace.source_tokens, "target": trace.target_tokens}
    there = [words[side][at] for side, at in switch_places(switch) if at < len(words.get(side, ()))]
    return [f"“{visible(word)}”" for word in dict.fromkeys(there)]
