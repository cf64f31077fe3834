"""What is on screen: the run of the state's sentence, the one beside it, the model that made them.

Nothing here changes a model or a trace: both are shared by all sessions.
"""

from dataclasses import dataclass, field, replace

from glassformer.app.runs import opened_files
from glassformer.app.runs.models import chat_problem, get_model, keeps_lines, steps_of, takes_pairs
from glassformer.app.runs.traces import get_forced, get_run, get_setting, get_trace, get_variant
from glassformer.app.session import experiments, store
from glassformer.app.session.memory import Pair, RunFile, Shown
from glassformer.app.session.state import FIRST_SENTENCE, State
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.experiment import NOTHING
from glassformer.core.interventions.switch import Switch
from glassformer.core.text_models.model import Model
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace


@dataclass(frozen=True)
class Outcome:
    """What a page shows: the trace to draw (None before the first good one), and what went wrong.

    error: of the sentence; `trace` is then the last good one of the session. switch_error: why the
    experiment did not run; then the plain run stands for it. left_out: switches that do not fit
    this sentence or model, and why. second_error: of the second sentence. chat_error: why the
    text is not in the chat template that was asked for.
    """

    trace: Trace | None
    error: GlassformerError | None = None
    switch_error: GlassformerError | None = None
    left_out: dict[Switch, GlassformerError] = field(default_factory=dict)
    second_error: GlassformerError | None = None
    chat_error: GlassformerError | None = None


def current_outcome() -> Outcome:
    """The run of the sentence, direction, model and experiment in the session's state.

    A bad input gives its error together with the last good trace of the session, or, where the
    link itself was bad, with that of the first sentence.
    """
    if (held := _from_file()) is not None:
        return held
    now = store.get_state()
    if store.BREAK.search(now.text + now.text_pair + now.second) and not keeps_lines(now.model):
        now = store.settle_lines()
    try:
        now = _with_a_pair_only_where_read(now)
        if now.step:
            now = store.settle_step(steps_of(now.model))
        now = replace(now, step=step_in_view())
        plain = get_trace(now.own_text, now.direction, now.model, now.version)
    except GlassformerError as error:
        shown = store.memory().shown or _first()
        store.memory().shown = shown
        return Outcome(shown.trace if shown else None, error)
    return _with_switches(now, plain)


def _with_a_pair_only_where_read(now: State) -> State:
    """A tab parts the text of a link; a model that reads one text alone has the second left out.

    Errors: as `get_model`: then nothing is left out.
    """
    if now.text_pair and not get_model(now.model).takes_pairs:
        store.drop("text_pair")
    elif "\t" in now.text and not now.text_pair and takes_pairs(now.model):
        store.settle_pair()
    return store.get_state()


def step_in_view() -> str:
    """The step of the training on screen; where none is picked, the Training page's is the first.

    Errors: as `steps_of`.
    """
    now = store.get_state()
    if (
        now.step
        or store.page_on_screen() != "training"
        or (now.training, now.course) != ("replay", "start")
    ):
        return now.step
    steps = steps_of(now.model)
    return str(steps[0]) if len(steps) > 1 else ""


def _from_file() -> Outcome | None:
    """The run of a file while nothing else is asked for; nothing is computed."""
    if (held := opened_files.current_file()) is None:
        return None
    run, trace = held
    store.memory().shown = Shown(trace, *(run.model or ("", "")), file=run)
    return Outcome(trace)


def _with_switches(now: State, plain: Trace) -> Outcome:
    fitting, left_out = experiments.fit_experiment(experiments.current_experiment(), plain)
    switch_error, second_error = experiments.experiment_problem(), None
    try:
        switched = get_run(fitting, now.own_text, now.direction, now.model, now.version)
    except GlassformerError as error:
        switched, fitting, switch_error = plain, NOTHING, error
    pair = Pair("experiment", plain, switched) if fitting else None
    if now.second:
        try:
            other = get_run(fitting, now.own_second, now.direction, now.model, now.version)
            pair = Pair("sentences", switched, other)
        except GlassformerError as error:
            second_error = error
    trace = switched
    if pair is not None and now.run in ("first", "second"):
        trace = pair.first if now.run == "first" else pair.second
    under = NOTHING if trace is plain else fitting
    store.memory().shown = Shown(trace, now.model, now.version, under, fitting, pair, left_out)
    chat_error = None if now.chat == "off" else chat_problem(now.model, now.own_text)
    return Outcome(trace, None, switch_error, left_out, second_error, chat_error)


def _first() -> Shown | None:
    try:
        return Shown(get_trace(FIRST_SENTENCE), "", "")
    except GlassformerError:
        return None  # the model itself is missing or damaged


def trace_on_screen() -> Trace:
    """The trace that the page draws: the last good one of this session.

    Errors: LookupError before `current_outcome` had one (the frame stops the page then).
    """
    return _shown().trace


def pair_on_screen() -> Pair | None:
    """The two runs that can be compared; None where nothing is switched and no second sentence."""
    return _shown().pair


def pair_side_by_side() -> Pair | None:
    """The two runs where the reader wants them beside each other, None where one is on screen."""
    found, run = pair_on_screen(), store.get_state().run
    if found is None or not (run == "both" or (run == "" and found.kind == "sentences")):
        return None
    return found


def file_on_screen() -> RunFile | None:
    """The file that the run on screen comes from; None for one that was computed here."""
    return _shown().file


def experiment_on_screen() -> Experiment:
    """What is switched in the runs of this screen, without what does not fit."""
    return _shown().applied


def made_under() -> Experiment:
    """What is switched in the run that is drawn: nothing where of a pair the plain one is."""
    return _shown().experiment


def forced_run() -> Trace | None:
    """The second run of the pair over the words that the first one wrote; None without a pair.

    All its rows can be compared with the first run's. Errors: those of `traces.get_forced`.
    """
    shown = _shown()
    if shown.pair is None:
        return None
    first, second = shown.pair.first, shown.pair.second
    return get_forced(shown.applied, second, first.output_ids, shown.model, shown.step)


def run_with(experiment: Experiment) -> Trace:
    """The run of the same sentence with other switches, without those that do not fit.

    Errors: as `get_run`.
    """
    shown, now = _shown(), store.get_state()
    asked = now.own_text, now.direction, shown.model, shown.step
    fitting, _ = experiments.fit_experiment(experiment, get_trace(*asked))
    return get_run(fitting, *asked)


def edits_on_screen() -> tuple[Edit, ...]:
    """The edits that the trace on screen was made under, for a further run like it.

    Errors: as `made_by`, and those of the edits.
    """
    shown = _shown()
    asked = get_setting(*made_by())
    config = shown.experiment.config(asked.config)
    return shown.experiment.edits(replace(asked, config=config))


def left_out() -> dict[Switch, GlassformerError]:
    """What is switched but does not fit the sentence or the model on screen, and why."""
    return _shown().left_out


def model_on_screen() -> Model:
    """The model that made the trace on screen, in the config that it ran with.

    Not that of the state, where the input was refused; before the first run the bundled one. What
    is computed with its weights holds of a run with edits, too; another run is only like it where
    `made_by` names the model.
    Errors: as `made_by`.
    """
    shown = store.memory().shown
    if shown is not None and shown.file is not None and shown.file.edited and shown.file.model:
        return get_model(*shown.file.model)
    return get_variant(shown.experiment, *made_by()) if shown else get_model()


def plain_model() -> Model:
    """The same without what is switched. Errors: as `made_by`."""
    return get_model(*made_by())


def made_by() -> tuple[str, str]:
    """The name of the model that made the trace on screen, and the step of its training.

    As `get_trace` and its like take them; the state's differ where its input was refused.
    Errors: file_model for a run that no model here computes so.
    """
    shown = _shown()
    if shown.file is not None and not (shown.file.model and shown.file.plain):
        raise GlassformerError("file_model")
    return shown.model, shown.step


def _shown() -> Shown:
    shown = store.memory().shown
    if shown is None:
        raise LookupError("no trace yet: call current() first")
    return shown
