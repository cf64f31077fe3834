"""“?”: the glossary, its terms in the texts of the pages, and a tour.

The browser does all of it: what it needs of a language is served once, as a script.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from glassformer.app.session import store
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.ui import scripts
from glassformer.app.ui.component import component
from glassformer.app.words import say

GLOSSARY, TOUR = (Path(__file__).with_name(f"{name}.toml") for name in ("glossary", "tour"))
TEXTS = ("open", "title", "search", "none", "close", "see", "paper", "equation", "keys")
TOUR_TEXTS = ("offer", "refuse", "at", "back", "next", "done", "leave")

_guide = component(__file__, "guide", scripts=("terms.js", "glossary.js", "tour.js"))


def show() -> None:
    """Draw the button “?” and, on a first visit, the offer of the tour beside it."""
    _guide("guide", {"words": _place(store.get_state().language)}, width="content")


@cache
def glossary_terms() -> dict[str, dict[str, Any]]:
    """What the glossary has of every term but its texts, by the term's id."""
    return tomllib.loads(GLOSSARY.read_text(encoding="utf-8"))


@cache
def tour_stops() -> tuple[dict[str, Any], ...]:
    """The stops of the tour, in order."""
    return tuple(tomllib.loads(TOUR.read_text(encoding="utf-8"))["stop"])


def guide_words(language: str) -> dict[str, Any]:
    """All that the browser is given in a language: texts, topics, terms, stops."""
    texts = {name: say(f"guide.{name}", language) for name in TEXTS}
    tour = {f"tour_{name}": say(f"tour.{name}", language) for name in TOUR_TEXTS}
    tour["tour_start"] = say("tour.start", language, stops=len(tour_stops()))
    topics = dict.fromkeys(term["topic"] for term in glossary_terms().values())
    return {
        "texts": texts | tour,
        "topics": {topic: say(f"guide.topic_{topic}", language) for topic in topics},
        "terms": [_term(name, term, language) for name, term in glossary_terms().items()],
        "stops": [
            stop
            | {part: say(f"tour.{stop['name']}_{part}", language) for part in ("title", "about")}
            for stop in tour_stops()
        ],
    }


def _term(name: str, term: dict[str, Any], language: str) -> dict[str, Any]:
    names = {each: say(f"glossary.{name}.name", each) for each in LANGUAGES}
    own, other = names[language], next(names[each] for each in LANGUAGES if each != language)
    return {
        **term,
        "id": name,
        "name": own,
        "other": other if other != own else "",
        "about": say(f"glossary.{name}.about", language),
        "words": [*term.get("words", ()), *names.values()],
        "common": [*names.values()] if term.get("common") else [],
        "seen": say("guide.see", language, page=say(f"frame.{term['page']}", language)),
    }


@cache
def _place(language: str) -> str:
    text = orjson.dumps(guide_words(language)).decode()
    return scripts.place_of(
        scripts.serve_script(f"glossary-{language}", f"export default {text};\n")
    )
