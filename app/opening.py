"""Opening a file: a run, an experiment or a trained model, told by what it holds."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from app import experiments, opened, state, trainings
from app.models import get_model, models
from core.checkpoints import DEFAULT
from core.edits import Experiment
from core.edits.variants import fingerprint
from core.errors import GlassformerError
from core.opening.experiments import MadeOn, made_on
from core.opening.kinds import MOST_BYTES, Kind, kind_of, refuse_large
from core.opening.models import unpack
from core.opening.runs import read_run

MOST = max(MOST_BYTES.values())


def open_file(name: str, data: bytes) -> Kind:
    """Open a file's content; what it was is returned, what cannot be used changes nothing.

    Raises `GlassformerError`: file_foreign, file_damaged, file_large, file_newer, those of an
    experiment, and file_no_room where no further visitor may keep a model.
    """
    kind = kind_of(data)
    if kind == "run":
        opened.hold(name, data, read_run(data))
    elif kind == "experiment":
        _open_experiment(data)
    else:
        _open_model(data)
    return kind


def refuse_size(size: int) -> None:
    """Raises `file_large` for a file that no kind allows, before it is read."""
    refuse_large(size, MOST)


def _open_experiment(data: bytes) -> None:
    """Its model is chosen if it is here; its sentence and switches are set, to be undone."""
    about = made_on(data)
    place = _model_of(about)
    found = Experiment.from_json(data.decode("utf-8-sig"), get_model(*place))
    name = "" if place[0] == DEFAULT else place[0]
    experiments.put(found, model=name, step=place[1], **about.sentence)
    if found.name.strip():
        experiments.keep(found.name, found)


def _model_of(about: MadeOn) -> tuple[str, str]:
    """The model of an experiment's file: the one in use, the one of its name, any other here.

    Without it the one in use, which the file then refuses by name.
    """
    now = state.get_state()
    stem, _, step = about.model.rpartition("@")
    for each in ((now.model, now.step), (stem, step), *((name, "") for name in models())):
        with suppress(GlassformerError):  # no such model, or it cannot be read
            if fingerprint(get_model(*each)) == about.fingerprint:
                return each
    return now.model, now.step


def _open_model(data: bytes) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = unpack(data, Path(folder))
        name = _free_name(home.name)
        if not trainings.take_in(name, home):
            raise GlassformerError("file_no_room")
    state.update(model=name, step="")


def _free_name(name: str) -> str:
    """A name that no model here has: what is kept stays."""
    taken, found, count = models(), name, 1
    while found in taken:
        count += 1
        found = f"{name}-{count}"
    return found
