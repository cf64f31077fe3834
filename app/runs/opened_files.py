"""Files that a session opens: a run, an experiment or a trained model, told by what it holds.

A run of a file is shown as it is until something else is asked for.
"""

import hashlib
import tempfile
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from glassformer.app.runs import kept_models
from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.runs.models import get_model, selectable_models
from glassformer.app.session import experiments, store
from glassformer.app.session.memory import RunFile
from glassformer.app.session.state import CHAT
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.experiment import fingerprint
from glassformer.core.opening.kinds import MOST_BYTES, Kind, MadeOn, kind_of, made_on
from glassformer.core.opening.models import unpack
from glassformer.core.opening.runs import is_made_by, read_run
from glassformer.core.text_models.checkpoints import DEFAULT
from glassformer.core.trace.trace import Trace

LONGEST_NAME = 60
_runs: BoundedCache[Trace] = BoundedCache(SERVER, lambda trace: trace.nbytes)
MOST = max(MOST_BYTES.values())


def hold_run(name: str, data: bytes, trace: Trace, link: str = "") -> RunFile:
    """Put a run on screen; its sentence and model become those of the state."""
    mark, model = hashlib.sha256(data).hexdigest(), model_of(trace)
    trace = _where_model_is(trace, model)
    now = store.get_state()
    before = now.setup
    chosen = model or (now.model, now.step)
    if model is not None and trace.sent:
        model = model[0], CHAT
    store.update(
        text=trace.source_text, text_pair=trace.text_pair,
        direction=trace.direction or "auto", model=chosen[0],
        chat="on" if model and trace.sent else "off", step=chosen[1], edits="", second="", run="",
    )  # fmt: skip
    alike = model is None or trace.config == get_model(*model).config
    plain, edited = alike and not trace.edits, alike and bool(trace.edits)
    shown = " ".join(name.split())[:LONGEST_NAME]
    setup = store.get_state().setup
    held = RunFile(mark, shown, trace.model_name, model, plain, edited, setup, before, link)
    _runs.get(mark, lambda: trace)
    store.memory().file = held
    return held


def _where_model_is(trace: Trace, model: tuple[str, str] | None) -> Trace:
    if model is None:
        return trace
    device = get_model(*model).device
    return replace(trace, tensors={name: each.to(device) for name, each in trace.tensors.items()})


def model_of(trace: Trace) -> tuple[str, str] | None:
    """The model here that made it, by name and step: its words and its vectors must be the same."""
    name, _, step = trace.model_name.rpartition("@")
    for called, at in ((trace.model_name, ""), (name, step)):
        for found in selectable_models():
            with suppress(GlassformerError):
                if called == kept_models.plain_name(found) and is_made_by(
                    trace, get_model(found, at)
                ):
                    return ("" if found == DEFAULT else found), at
    return None


def current_file() -> tuple[RunFile, Trace] | None:
    """The file on screen and its run; None where something else is asked for.

    What was on screen last comes back where the cache has let it go.
    """
    held = store.memory().file or _linked_file()
    if held is None or held.asked != store.get_state().setup:
        return None
    if store.get_state().file != held.link:
        store.name_again(file=held.link)
    try:
        return held, _runs.get(held.mark, lambda: _again(held))
    except LookupError:
        store.memory().file = None
        store.memory().let_go = held.name
        return None


def close_file() -> None:
    """Leave the file: what was on screen before it comes back."""
    held = store.memory().file
    store.memory().file = None
    if held is not None:
        store.update(**vars(held.before), file="")


def leave_file() -> None:
    """Leave the file and keep its sentence, for a run of the model here."""
    store.memory().file = None
    store.update(file="")


def let_go() -> str:
    """The name of a file whose run the cache no longer has, told once; "" for none."""
    name, store.memory().let_go = store.memory().let_go, ""
    return name


def _again(held: RunFile) -> Trace:
    shown = store.memory().shown
    if shown is not None and shown.file == held:
        return shown.trace
    if (found := kept_models.find_run(held.link)) is None:
        raise LookupError("let go")
    return _where_model_is(read_run(kept_models.content_of_run(found)), held.model)


def _linked_file() -> RunFile | None:
    """The run that a link names, brought in a session that has not opened it; None without."""
    if not (link := store.get_state().file):
        return None
    try:
        if (found := kept_models.find_run(link)) is not None:
            data = kept_models.content_of_run(found)
            return hold_run(found.name, data, read_run(data), found.link)
    except GlassformerError:  # damaged, or the place is away: it is computed, and said so
        pass
    store.drop("file")
    return None


def open_file(name: str, data: bytes) -> Kind:
    """Open a file's content; what it was is returned, what cannot be used changes nothing.

    Raises `GlassformerError`: file_foreign, file_damaged, file_large, file_newer, those of an
    experiment and of `keep_model`.
    """
    kind = kind_of(data)
    if kind == "run":
        trace = read_run(data)
        hold_run(name, data, trace, kept_models.keep_run(name, data))
    elif kind == "experiment":
        _open_experiment(data)
    else:
        _open_model(data)
    return kind


def _open_experiment(data: bytes) -> None:
    """Its model is chosen if it is here; its sentence and switches are set, to be undone."""
    about = made_on(data)
    place = _model_for(about)
    found = Experiment.from_json(data.decode("utf-8-sig"), get_model(*place))
    name = "" if place[0] == DEFAULT else place[0]
    sentence = {"text_pair": "", **about.sentence} if about.sentence else {}
    experiments.switch_to(found, model=name, step=place[1], **sentence)
    if found.name.strip():
        experiments.keep_experiment(found.name, found)


def _model_for(about: MadeOn) -> tuple[str, str]:
    """The model of an experiment's file: the one in use, the one of its name, any other here.

    Without it the one in use, which the file then refuses by name.
    """
    now = store.get_state()
    stem, _, step = about.model.rpartition("@")
    for each in (
        (now.model, now.step),
        (stem, step),
        *((name, "") for name in selectable_models()),
    ):
        with suppress(GlassformerError):  # no such model, or it cannot be read
            if fingerprint(get_model(*each)) == about.fingerprint:
                return each
    return now.model, now.step


def _open_model(data: bytes) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = unpack(data, Path(folder))
        link = kept_models.keep_model(_free_name(home.name), home)
    store.update(model=link, step="")


def _free_name(name: str) -> str:
    """A name that no model here has: what is kept stays."""
    taken = set(map(kept_models.plain_name, selectable_models()))
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(each for each in names if each not in taken)
