"""Untrained models that readers build in the Lab: named by their settings, made anew when needed.

The name holds all of it, so a link opens the same model, and nobody keeps weights: those that were
used last are in the server's cache, one for all sessions.
"""

from contextlib import suppress
from functools import lru_cache

from glassformer.app.runs.cache import SERVER, BoundedCache
from glassformer.app.session import store
from glassformer.app.session.codecs import parse_sections, sections_text
from glassformer.app.session.limits import MOST_BUILT
from glassformer.core.errors import GlassformerError
from glassformer.core.interruption import step
from glassformer.core.lab.untrained import Blueprint, blueprint, build_model
from glassformer.core.lab.untrained_views import (
    NOTES_WORDS,
    Anatomy,
    Drawn,
    Ids,
    anatomy,
    drawn_weights,
)
from glassformer.core.model.device import choose_device
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.translator import Translator

MARK = "untrained"


def _bytes(model: Transformer) -> int:
    return sum(weight.nbytes for weight in model.parameters())


_models: BoundedCache[Transformer] = BoundedCache(SERVER, _bytes)
_translators: BoundedCache[Translator] = BoundedCache(SERVER, lambda each: _bytes(each.transformer))


def is_untrained(name: str) -> bool:
    """Whether a model's name is that of an untrained one."""
    return name.partition(":")[0] == MARK


def name_of(plan: Blueprint) -> str:
    """The name that says all of a model but its vocabulary, which is the app's."""
    return sections_text({MARK: plan.changed})


@lru_cache(maxsize=64)
def read_blueprint(name: str, vocabulary: int = NOTES_WORDS) -> Blueprint:
    """What a name says. Errors: those of `blueprint`, and checkpoint_missing for no such name."""
    try:
        return blueprint(vocabulary, **parse_sections(name)[MARK])
    except GlassformerError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise GlassformerError("checkpoint_missing", path=name) from error


def get_untrained(name: str, tokenizer: Tokenizer) -> Translator:
    """The model of a name with the words of a tokenizer. Errors: as `read_blueprint`."""
    plan = read_blueprint(name, len(tokenizer.vocabulary))
    canonical = name_of(plan)
    return _translators.get(canonical, lambda: Translator(_built(plan), tokenizer, canonical))


def get_built(plan: Blueprint) -> Transformer:
    """The model of a blueprint; shared: never write to it."""
    return _models.get(plan, lambda: _built(plan))


def _built(plan: Blueprint) -> Transformer:
    step()
    return build_model(plan).to(choose_device())


@lru_cache(maxsize=32)
def look_into(plan: Blueprint, source: Ids, target: Ids) -> Anatomy:
    """Its modules, and the values of a run over these ids."""
    return anatomy(get_built(plan), source, target)


@lru_cache(maxsize=128)
def drawn_in(plan: Blueprint, matrix: str) -> Drawn:
    """How the numbers of one of its matrices lie. Errors: AttributeError for none of its."""
    return drawn_weights(get_built(plan).get_parameter(matrix))


def blueprint_names() -> list[str]:
    """Those that this session has used, and the one of its link."""
    found, now = list(store.memory().built), store.get_state().model
    with suppress(GlassformerError):
        if is_untrained(now) and now not in found and read_blueprint(now):
            found.append(now)
    return found


def use_blueprint(plan: Blueprint) -> None:
    """Make it the model of all pages; it stays in the session's menu, of too many the last ones."""
    name = name_of(plan)
    kept = [each for each in store.memory().built if each != name]
    store.memory().built = (*kept, name)[-MOST_BUILT:]
    store.update(model=name, step="")
