"""The models that can be chosen: loaded once for all sessions, within bounds, never changed."""

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from glassformer.app.runs import kept_models, library, untrained
from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.session.state import CHAT
from glassformer.core.analysis.head_roles import MeasuredHead
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import (
    DEFAULT,
    list_models,
    load_about,
    load_exact_match,
    load_heads,
    load_history,
    load_model,
)
from glassformer.core.text_models.history import History
from glassformer.core.text_models.model import Model
from glassformer.core.text_models.translator import Translator
from glassformer.core.weights.opened_model import OpenedModel
from glassformer.core.weights.snapshots import open_snapshot

FORMER = {"translator-taught": DEFAULT}  # names in links of earlier days


def weight_bytes(model: Model) -> int:
    """Bytes of its weights."""
    return sum(weight.nbytes for weight in model.transformer.parameters())


_snapshots: BoundedCache[Model] = BoundedCache(SERVER, weight_bytes)


def selectable_models() -> list[str]:
    """The names of the models that can be chosen, the bundled one first, one's own last."""
    bundled = list_models()
    others = [name for name in library.model_folders() if name not in bundled]
    return [*bundled, *others, *kept_models.link_names(), *untrained.blueprint_names()]


def get_model(name: str = "", step: str = "") -> Model:
    """The model of that name, "" for the bundled one; loaded once for all sessions.

    step: of its training, "" for the end; CHAT for what its chat template wraps texts for, as far
    as it can (`chat_problem`).
    Errors: GlassformerError where there is no such checkpoint, or no snapshot of that step, or
    where the files do not fit together.
    """
    if step == CHAT:
        found = get_model(name)
        return found.with_chat_template(True) if isinstance(found, OpenedModel) else found
    if untrained.is_untrained(name):
        return untrained.get_untrained(name, _load(DEFAULT).tokenizer)
    place, bundled = place_of(name)
    if bundled and not step:
        return _load(place)
    if is_opened(name):
        if step.isdecimal() and steps_of(name):
            return _snapshots.get((place, step), lambda: open_snapshot(Path(place), int(step)))
        return library.get_opened(Path(place))
    return _snapshots.get((place, step), lambda: load_model(f"{place}@{step}" if step else place))


def get_history(name: str = "") -> History | None:
    """How the model of that name was trained; None where that was not kept.

    Errors: as `get_model`.
    """
    ours = name in library.bundled_folders()
    if untrained.is_untrained(name) or (is_opened(name) and not ours):
        return None
    place, bundled = place_of(name)
    return _history(place) if bundled or ours else load_history(place)


_history = lru_cache(maxsize=8)(load_history)  # of those that change with the code


@lru_cache(maxsize=8)
def get_exact_match(name: str = "") -> dict[str, tuple[int, int]]:
    """What the model card of a bundled model counts: what `load_exact_match` returns.

    Empty for others: their history counts other sentences.
    """
    place, bundled = place_of(name)
    return load_exact_match(place) if bundled else {}


def get_taught(name: str = "") -> dict[str, Any]:
    """Its heads that were told where to look, in the form of `load_about`.

    Errors: as `get_model`.
    """
    without = untrained.is_untrained(name) or is_opened(name)
    return {} if without else _taught(place_of(name)[0])


@lru_cache(maxsize=64)  # every head on screen asks
def _taught(place: str) -> dict[str, Any]:
    return dict(load_about(place).get("taught") or {})


@lru_cache(maxsize=8)
def get_heads(name: str = "") -> tuple[MeasuredHead, ...]:
    """What the model card of a bundled model measured of each head; () for others.

    Errors: as `get_model`.
    """
    place, bundled = place_of(name)
    return load_heads(place) if bundled or name in library.bundled_folders() else ()


def place_of(name: str) -> tuple[str, bool]:
    """What is loaded for a name, and whether it is a bundled model; caches go by the first.

    Two sessions may have models of one name: their folders differ. Names come from links: a link
    must not open another folder of the server.
    """
    if untrained.is_untrained(name):
        return name, False
    if not name or name in list_models():
        return name or DEFAULT, True
    if name in FORMER:
        return FORMER[name], True
    if is_opened(name):
        return str(library.model_folders()[name]), False
    return str(kept_models.folder_of_model(name)), False


def is_opened(name: str) -> bool:
    """Whether a name is that of one of the operator's models."""
    ours = not name or name in list_models() or name in FORMER
    return not ours and name in library.model_folders()


def keeps_lines(name: str) -> bool:
    """Whether a model tells a line break from a blank; it may, where it cannot be opened."""
    try:
        return is_opened(name) and get_model(name).keeps_lines
    except GlassformerError:
        return True


def takes_pairs(name: str) -> bool:
    """Whether a model reads two texts together; no, where it cannot be opened."""
    try:
        return is_opened(name) and get_model(name).takes_pairs
    except GlassformerError:
        return False


def has_chat(name: str) -> bool:
    """Whether a model's tokenizer comes with a chat template; no, where it cannot be opened."""
    try:
        found = get_model(name) if is_opened(name) else None
    except GlassformerError:
        return False
    return isinstance(found, OpenedModel) and found.has_chat_template


def chat_problem(name: str, text: str) -> GlassformerError | None:
    """Why a text goes to a model as it is typed though a chat template was asked for."""
    try:
        if not has_chat(name):
            return GlassformerError("chat_missing", path=name or DEFAULT)
        cast(OpenedModel, get_model(name)).with_chat_template().sent(text)
    except GlassformerError as error:
        return error
    return None


def task_of(name: str) -> str:
    """What a model does with a text: "translate", "continue", "fill_in", or "vectors" alone."""
    found = library.facts_of_model(name) if is_opened(name) else None
    return found.task if isinstance(found, library.Facts) else "translate"


@lru_cache(maxsize=4)
def _load(name: str) -> Translator:
    return load_model(name or None)


def steps_of(model: str) -> tuple[int, ...]:
    """The steps of its training that were kept, the last of them its end; () without a history.

    Errors: as `get_model`.
    """
    history = get_history(model)
    return history.steps if history else ()
