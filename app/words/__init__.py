"""`say("section.key", **values)`: the text of the screens in the language of the session.

The texts are data: a folder a language, a file a page; a panel has its own in its folder, a file a
language. Of the other rooms it imports session.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PANELS = FOLDER.parent / "pages"  # of which each has its own words, a file a language


def say(key: str, language: str | None = None, /, **values: Any) -> str:
    """The text of a key such as "attention.title", its {places} filled with the values.

    language: a folder beside this file; None: the one of the session's state.
    Errors: KeyError for a key that the language does not have, or a place without a value.
    """
    text = texts_of_language(language or get_state().language)[key]
    return text.format(**values) if values else text


def say_each(
    keys: str | Mapping[str, str], language: str | None = None, /, **values: Any
) -> dict[str, str]:
    """The texts of several keys: "lens.rank lens.label" by their last words, or a table of keys."""
    table = {key.rpartition(".")[2]: key for key in keys.split()} if isinstance(keys, str) else keys
    return {name: say(key, language, **values) for name, key in table.items()}


def get_state() -> Any:
    """The session's state. Whoever names a language needs no session, and not torch below it."""
    from glassformer.app.session import store

    return store.get_state()


@cache
def texts_of_language(language: str) -> dict[str, str]:
    """All texts of a language by their full key: of its folder, and of the panels' own."""
    found: dict[str, str] = {}
    own = PANELS.glob(f"*/*/{language}.toml")
    for path in sorted((*(FOLDER / language).glob("*.toml"), *own)):
        found |= _flat(tomllib.loads(path.read_text(encoding="utf-8")), "")
    return found


@cache
def language_name(language: str) -> str:
    """What a language calls itself: read alone, for every page names all of them."""
    path = FOLDER / language / "language.toml"
    name: str = tomllib.loads(path.read_text(encoding="utf-8"))["language"]["name"]
    return name


def _flat(table: dict[str, Any], prefix: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found
