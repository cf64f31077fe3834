"""What a session remembers that no link carries; what a link carries is `state.py`'s."""

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from glassformer.app.session.state import Setup
from glassformer.core.analysis.training_views import Replay
from glassformer.core.decoding.timeline import Speed
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, History
from glassformer.core.interventions.causal_tracing import Tracing
from glassformer.core.interventions.experiment import NOTHING
from glassformer.core.interventions.switch import Switch
from glassformer.core.lab.why_attention import Race
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.trace.trace import Trace

RECENT = 3  # runs whose messages the browser is sure to have: it keeps those of ten


@dataclass(frozen=True)
class RunFile:
    """A file's run as the session knows it; its tensors are in a cache that all sessions share.

    model: name and step of its model, None where that is not here. plain: nothing was switched, so
    that the model computes such a run. edited: of its switches all are edits of what was computed;
    then the model's weights are those of the run. asked: the state's setup when it was opened.
    before: the same before that, which leaving it brings back.
    """

    mark: str  # of the file's content
    name: str
    model_name: str
    model: tuple[str, str] | None
    plain: bool
    edited: bool
    asked: Setup
    before: Setup
    link: str = ""  # what a link names it by, where it is kept


@dataclass(frozen=True)
class Pair:
    """Two runs beside each other.

    experiment: the plain run and the switched one. sentences: the first sentence and the second,
    both under the experiment, if there is one.
    """

    kind: Literal["experiment", "sentences"]
    first: Trace
    second: Trace
    names: tuple[str, str] | None = None  # what the two are called where it is not the kind's words


@dataclass(frozen=True)
class Shown:
    """What a rerun found: kept so that every panel draws the same."""

    trace: Trace
    model: str
    step: str
    experiment: Experiment = NOTHING  # what the trace was made under
    applied: Experiment = NOTHING  # what the switched run of the pair was made under
    pair: Pair | None = None
    left_out: dict[Switch, GlassformerError] = field(default_factory=dict)
    file: RunFile | None = None  # where the trace is not computed but opened


@dataclass
class BrowserTexts:
    """What the browser is to write of the texts that it keeps.

    change: the last one's own name, "" for none. full: the browser keeps no more.
    """

    change: str = ""
    changes: dict[str, str | None] = field(default_factory=dict)
    full: bool = False


@dataclass
class Memory:
    """One session's, by page; a new session has the defaults."""

    # Every page
    shown: Shown | None = None
    made: dict[str, tuple[object, ...]] = field(default_factory=dict)  # what `store.once` computed
    kept: dict[str, Any] = field(default_factory=dict)  # parts of the screen (`app/ui/kept.py`)
    acts: dict[str, Callable[..., object]] = field(default_factory=dict)  # that their widgets call
    stopped: object = None  # what the reader asked for when its work was stopped
    sent: deque[set[str]] = field(default_factory=lambda: deque(maxlen=RECENT))  # messages by run
    history: History[Setup] | None = None
    experiments: dict[str, Experiment] = field(default_factory=dict)  # kept under a name
    sentences: dict[str, tuple[str, str]] = field(default_factory=dict)  # theirs: text, direction
    kept_at: dict[str, float] = field(default_factory=dict)  # seconds since 1970
    experiments_held: dict[str, str] = field(default_factory=dict)  # by the browser, as it told
    experiments_written: BrowserTexts = field(default_factory=BrowserTexts)

    # The frame
    told: Mapping[str, bytes] = field(default_factory=dict)  # widgets, as the browser last did
    address_told: float = 0.0  # when the browser was, in seconds of `time.monotonic`
    goes_back: bool = False  # the back button was pressed, and no run has followed it yet
    presented: bool = False  # in front of a hall: a frame of the presenter's page
    picked: dict[str, Any] = field(default_factory=dict)  # by picker: what it shows or was given
    second_open: bool = False  # its input is on screen, though nothing is typed yet
    second_new: bool = False  # it has just been given: to where the two differ most
    moved_seen: Setup | None = None  # the run whose moved switches the reader knows of
    file: RunFile | None = None  # the one that was opened
    let_go: str = ""  # the name of one whose run the cache no longer has
    opening_asked: bool = False  # by a file dropped on the page, or by one that is too large
    opening_done: bool = False
    opening_stays: bool = False  # the dialog, after a change that it shows itself
    opening_failed: GlassformerError | None = None
    opening_round: int = 0  # a new uploader after every file, so that one can come twice
    trail_opened: bool = False  # just now, in a fragment: the drawer stands outside

    # Lectures
    drafts: dict[str, str] | None = (
        None  # one's own, as TOML by name; None: the browser has not told
    )
    drafts_written: BrowserTexts = field(default_factory=BrowserTexts)
    drafts_past: list[dict[str, str]] = field(default_factory=list)  # to be undone
    scene_saved: Lecture | GlassformerError | None = None  # what came of saving this screen
    scene_chosen: dict[str, int] = field(default_factory=dict)  # by lecture
    article: dict[str, bool] = field(default_factory=dict)  # by lecture: read, not by its scenes
    sheet_marked: tuple[tuple[str, str, int], tuple[bool | None, ...]] | None = (
        None  # which, and how
    )
    scene_refused: GlassformerError | None = None  # what was typed into a scene, or imported
    scene_opened: tuple[str, Mapping[str, str]] | None = None  # page and query to go to
    launched: tuple[str, int, dict[str, Any]] | None = None  # lecture, how often, for the browser
    lecture_room: tuple[str, str, str] | None = None  # lecture, code, the driver's key

    # Of which version, and of what alone, the browser wants answers to clicks (answers.py)
    answers_asked: tuple[str, str] = ("", "")

    # Walkthrough
    walk_heard: tuple[str, ...] = ()  # numbers of the events heard last
    walk_asked: tuple[str, str, tuple[str, ...]] = ("", "", ())  # version, step, steps it lacks

    # Decoding
    cache_speed: tuple[Trace, tuple[int, ...], Speed] | None = None  # measured on these words
    word_refused: tuple[tuple[int, str] | None, str] = (None, "")  # step and sentence; why

    # Training
    replay: tuple[str, Replay, Trace] | None = None  # the last good one: model, replay, its end
    owner: str = ""  # what the store calls this browser
    workshop: str = ""  # the token of one's own
    workshop_full: bool = False
    workshop_refused: GlassformerError | None = None  # by the desk, until tried again
    workshop_kept: tuple[str, int] | None = None  # folder and step of the run that was kept last
    workshop_file: tuple[str, bytes] | None = None  # of pairs: its name and content
    workshop_files: int = 0  # that were uploaded
    workshop_text: tuple[str | None, str] = (None, "")  # the link's pairs when others were pasted

    # Lab, by bench
    lab_drafts: dict[str, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)
    lab_stamps: dict[str, int] = field(default_factory=dict)
    lab_seen: dict[str, Any] = field(default_factory=dict)  # the last event of the inputs
    lab_race: Race | None = None
    built: tuple[str, ...] = ()  # names of untrained models that were used

    # Switch
    mask_painted: int = 0  # number of the last stroke
    concept_refused: tuple[str, GlassformerError] | None = None
    experiment_name: str = ""  # what is typed, until it is kept
    compared: dict[str, tuple[str, str]] = field(default_factory=dict)  # "first", "second": which
    compared_on: str = "own"  # "own": each on its own sentence; "screen": both on the one on screen
    patched_runs: dict[Hashable, Tracing] = field(default_factory=dict)
    over_texts: dict[Hashable, tuple[Any, ...]] = field(default_factory=dict)  # what came of lists
