"""Lectures as TOML: read without trust, every mistake named with its line.

name = "attention"
title.en = "Attention"

[[scene]]
name = "pronoun"
link = "attention?layer=2&head=1&query=8"
title.en = "What does “it” look at?"
"""

import math
import re
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path as File
from typing import Any

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.fields import (
    Field,
    Reader,
    is_count,
    number_field,
    one_of,
    read_numbers,
    read_switch,
    read_table,
    read_words,
    text_field,
)
from glassformer.core.lectures.lecture import (
    FORMS,
    KINDS,
    PLACE,
    READINGS,
    Lecture,
    Link,
    Question,
    Scene,
    Text,
    Truth,
)
from glassformer.core.lectures.lines import Path, line_at, lines_of, lines_without_strings
from glassformer.core.lectures.screen_fields import read_changes, read_focus, read_link

FOLDER = File(__file__).parents[2] / "assets" / "lectures"
MOST_BYTES = 256_000
MOST_LINES = 5000
MOST_SCENES = 100
MOST_OPTIONS = 6
MOST_GLOSSES = 1000  # words, in each language
MOST_ASKED_TWICE = 5  # questions that a lecture begins and ends with
LONGEST_LINE = 400  # characters beside strings: long dotted keys cost their square
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
FACT = re.compile(r"[a-z][a-z0-9_]{0,39}")


@cache  # they change with the code
def bundled_lectures() -> tuple[str, ...]:
    """The lectures that come with the app.

    Returns:
        Their names, in alphabetical order.
    """
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def load_lecture(name: str) -> Lecture:
    """One of the lectures that come with the app.

    Args:
        name: as `bundled_lectures` has it.

    Returns:
        The lecture.

    Raises:
        LookupError: there is no lecture of that name.
    """
    if name not in bundled_lectures():
        raise LookupError(name)
    return read_lecture((FOLDER / f"{name}.toml").read_bytes())


def read_lecture(data: str | bytes) -> Lecture:
    """The lecture that a file holds.

    Args:
        data: TOML; bytes are in UTF-8.

    Returns:
        The lecture; every text is there in each of its languages.

    Raises:
        GlassformerError: `lecture_…`, with `line` (from 1) where there is one to name.
    """
    plain = _decoded(data)
    if (length := plain.count("\n")) > MOST_LINES:
        raise GlassformerError("lecture_lines", given=length, limit=MOST_LINES)
    lines = lines_without_strings(plain)
    for at, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            raise GlassformerError("lecture_line", line=at, limit=LONGEST_LINE)
    try:
        found = tomllib.loads(plain)
    except RecursionError:
        raise GlassformerError("lecture_toml", line=1, problem="nested too deeply") from None
    except ValueError as error:
        where = re.search(r"\(at line (\d+), column \d+\)", str(error))
        problem = str(error).partition(" (at ")[0][:100]
        at = int(where[1]) if where else len(lines)
        raise GlassformerError("lecture_toml", line=at, problem=problem) from None
    return _lecture(Reader(lines_of(lines)), found)


def _decoded(data: str | bytes) -> str:
    try:
        raw = data.encode() if isinstance(data, str) else data
        if len(raw) > MOST_BYTES:
            given, limit = (f"{size / 1000:,.0f} kB" for size in (len(raw), MOST_BYTES))
            raise GlassformerError("lecture_large", given=given, limit=limit)
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeError:
        raise GlassformerError("lecture_encoding") from None


def _lecture(reader: Reader, given: dict[str, Any]) -> Lecture:
    found = reader.fields((), given, LECTURE, ("name", "title", "scene"))
    scenes = _between(found.pop("scene"), found.pop("before_and_after", ()))
    names = [scene.name for scene in scenes]
    paths = _paths(scenes)
    for at, scene in enumerate(scenes):
        if scene.name in names[:at]:
            reader.refuse("lecture_twice", (*paths[at], "name"), given=scene.name)
    for at, scene in enumerate(scenes):
        for each in scene.truths.values():
            if each.scene and each.scene not in names:
                reader.refuse("lecture_scene", paths[at], given=each.scene)
    return Lecture(**{"about": {}, **found}, scenes=scenes)


def _paths(scenes: tuple[Scene, ...]) -> list[Path]:
    """Where each of the scenes stands in the file."""
    found: list[Path] = []
    counts: dict[Path, int] = {}
    last: Path = ()
    for scene in scenes:
        table: Path = ("before_and_after", scene.asked) if scene.asked else ("scene",)
        table = (*last, "step") if scene.step else table
        counts[table] = counts.get(table, -1) + 1
        found.append((*(table[:1] if scene.asked else table), counts[table]))
        last = last if scene.step else found[-1]
    return found


def _between(scenes: tuple[Scene, ...], asked: tuple[Scene, ...]) -> tuple[Scene, ...]:
    """Scenes between the questions of the start and the same at the end.

    The first scene's picture is beside those before, the last one's beside those after; what a run
    answers is read in the first one's run both times.
    """
    found: dict[str, list[Scene]] = {"before": [], "after": []}
    for when, beside in (("before", scenes[0]), ("after", scenes[-1])):
        for each in asked:
            question = each.question
            assert question is not None
            if question.right is None and not question.truth.scene:
                truth = replace(question.truth, scene=scenes[0].name)
                question = replace(question, truth=truth)
            link: dict[str, Any] = {
                "page": beside.page,
                "query": beside.query,
                "links": beside.links,
            }
            name = f"{when}-{each.name}"
            found[when].append(
                replace(each, name=name, asked=when, question=question, focus=beside.focus, **link)
            )
    return *found["before"], *scenes, *found["after"]


def _asked_twice(reader: Reader, path: Path, given: Any) -> tuple[Scene, ...]:
    """The questions of the start and the end, each a choice, as scenes that have no link yet."""
    if not isinstance(given, list) or len(given) > MOST_ASKED_TWICE:
        reader.refuse("lecture_kind", path, allowed="[[before_and_after]]")
    found: list[Scene] = []
    for at, each in enumerate(given):
        here = (*path, at)
        told = reader.fields(here, each, ASKED_TWICE, ("name", "title", "question"))
        if told["question"].kind != "choice":
            reader.refuse("lecture_kind", (*here, "question", "kind"), allowed="choice")
        if told["name"] in (before.name for before in found):
            reader.refuse("lecture_twice", (*here, "name"), given=told["name"])
        scene = Scene(page="", query={}, line=line_at(here, reader.lines), **told)
        _check_places(reader, here, scene)
        found.append(scene)
    return tuple(found)


def _scenes(reader: Reader, path: Path, given: Any) -> tuple[Scene, ...]:
    if not isinstance(given, list) or not given:
        reader.refuse("lecture_kind", path, allowed="[[scene]]")
    if len(given) > MOST_SCENES:
        reader.refuse("lecture_many", path, given=len(given), limit=MOST_SCENES)
    found = [
        scene for at, each in enumerate(given) for scene in _with_steps(reader, (*path, at), each)
    ]
    if len(found) > MOST_SCENES:
        reader.refuse("lecture_many", path, given=len(found), limit=MOST_SCENES)
    return tuple(found)


def _with_steps(reader: Reader, path: Path, given: Any) -> list[Scene]:
    """A scene and its steps."""
    known = {**SCENE, "step": _list_of_tables}
    found = reader.fields(path, given, known, ("name", "link", "title"))
    steps = found.pop("step", [])
    scenes = [_scene(reader, path, found)]
    for at, each in enumerate(steps):
        step = reader.fields((*path, "step", at), each, STEP, ())
        changes: dict[str, Text] = step.pop("set", {})
        step = {"name": f"{scenes[0].name}-{at + 1}"[-60:], "title": scenes[0].title} | step
        scene = _scene(reader, (*path, "step", at), step, scenes[0])
        scenes.append(_changed(scene, changes, reader.languages))
    return scenes


def _list_of_tables(reader: Reader, path: Path, given: Any) -> list[Any]:
    if not isinstance(given, list) or len(given) > MOST_SCENES:
        reader.refuse("lecture_kind", path, allowed="[[scene.step]]")
    return given


def _changed(scene: Scene, changes: dict[str, Text], languages: tuple[str, ...]) -> Scene:
    """A step with some parameters of its link changed; an empty one is taken out."""

    def having(link: Link, language: str) -> Link:
        query = dict(link[1])
        for name, said in changes.items():
            query[name] = said.get(language) or said.get("", "")
        return link[0], {name: each for name, each in query.items() if each}

    by_language = any("" not in said for said in changes.values())
    if not (scene.links or by_language):
        return replace(scene, query=having((scene.page, scene.query), "")[1])
    links = {each: having(scene.link(each), each) for each in languages}
    page, query = next(iter(links.values()))
    return replace(scene, page=page, query=query, links=links)


def _scene(reader: Reader, path: Path, found: dict[str, Any], of: Scene | None = None) -> Scene:
    """A scene of fields that were read; a step of a scene has from it what it does not say."""
    line = line_at(path, reader.lines)
    links: dict[str, Link] = found.pop("link", {})
    if links:
        page, query = next(iter(links.values()))
        link = {"page": page, "query": query, "links": {} if "" in links else links}
        found = found | link
    if of is None:
        scene = Scene(**found, line=line)
    else:
        own = {"minutes": 0.0, "question": None, **found}
        own["facts"] = {**of.facts, **found.get("facts", {})}
        scene = replace(of, **own, step=True, line=line)
    _check_places(reader, path, scene)
    return scene


def _check_places(reader: Reader, path: Path, scene: Scene) -> None:
    for part in ("title", "text", "notes"):
        for language, said in getattr(scene, part).items():
            unknown = [name for name in PLACE.findall(said) if name not in scene.truths]
            if unknown:
                allowed = ", ".join(scene.truths) or "—"
                reader.refuse(
                    "lecture_place", (*path, part, language), given=unknown[0], allowed=allowed
                )


def _question(reader: Reader, path: Path, given: Any) -> Question:
    found = reader.fields(path, given, QUESTION, ("kind", "prompt"))
    if "right" in found and "truth" in found:
        reader.refuse("lecture_unknown", (*path, "right"), given="right", allowed="truth")
    if "right" not in found and "truth" not in found:
        reader.refuse("lecture_missing", (*path, "truth"))
    found.setdefault("truth", Truth(""))
    question = Question(**found, line=line_at(path, reader.lines))
    options, truth = len(question.options), question.truth
    if (question.kind == "choice") != bool(options) or options == 1 or options > MOST_OPTIONS:
        reader.refuse("lecture_options", path, given=options, limit=MOST_OPTIONS)
    parts = len(truth.words) or len(truth.bounds) + 1
    if question.right is not None:
        if question.right >= options:
            reader.refuse("lecture_kind", (*path, "right"), allowed=f"0 … {max(options - 1, 0)}")
    elif options and (parts != options or (truth.words and truth.bounds)):
        reader.refuse("lecture_truth", (*path, "truth"), given=parts, needed=options)
    return question


def _options(reader: Reader, path: Path, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, list) or len(given) > MOST_OPTIONS:
        reader.refuse("lecture_kind", path, allowed='[{ en = "…" }, { en = "…" }]')
    return tuple(text_field(200)(reader, path, each) for each in given)


def _right(reader: Reader, path: Path, given: Any) -> int:
    if not is_count(given, MOST_OPTIONS):
        reader.refuse("lecture_kind", path, allowed=f"0 … {MOST_OPTIONS - 1}")
    return int(given)


def _facts(reader: Reader, path: Path, given: Any) -> dict[str, Truth]:
    for name in read_table(reader, path, given):
        if not FACT.fullmatch(name) or name in ("key", "truth"):
            reader.refuse("lecture_name", (*path, name), given=name[:60])
    return {name: _truth(reader, (*path, name), each) for name, each in given.items()}


def _truth(reader: Reader, path: Path, given: Any) -> Truth:
    truth = Truth(**reader.fields(path, given, TRUTH, ("address",)))
    if (truth.read in ("argmax", "size")) != bool(truth.axis):
        reader.refuse("lecture_axis", path, given=truth.read)
    return truth


def _at(reader: Reader, path: Path, given: Any) -> dict[str, Any]:
    for axis, index in read_table(reader, path, given).items():
        each = index if isinstance(index, dict) else {"": index}
        if isinstance(index, dict) and each.keys() != set(reader.languages):
            reader.refuse("lecture_language", (*path, axis), language=", ".join(reader.languages))
        for one in each.values():
            if not (is_count(one, 10**6) or (isinstance(one, str) and 0 < len(one) <= 100)):
                reader.refuse("lecture_kind", (*path, axis), allowed='7, "it"')
    return dict(given)


def _gloss(reader: Reader, path: Path, given: Any) -> dict[str, dict[str, str]]:
    found = read_table(reader, path, given)
    for language, words in found.items():
        if language not in reader.languages:
            allowed = ", ".join(reader.languages)
            reader.refuse(
                "lecture_unknown", (*path, language), given=language[:60], allowed=allowed
            )
        fits = isinstance(words, dict) and len(words) <= MOST_GLOSSES
        if not fits or not all(
            isinstance(each, str) and len(each) <= 60 for each in words.values()
        ):
            reader.refuse("lecture_kind", (*path, language), allowed='{ animal = "…" }')
    return {language: dict(words) for language, words in found.items()}


def _name(reader: Reader, path: Path, given: Any) -> str:
    if not isinstance(given, str) or not NAME.fullmatch(given):
        reader.refuse("lecture_name", path, given=str(given)[:60])
    return given


# In this order: the languages of a lecture are those of its title.
LECTURE: dict[str, Field] = {
    "name": _name, "title": text_field(200, new=True), "about": text_field(1000),
    "gloss": _gloss, "scene": _scenes,
    "before_and_after": _asked_twice,
}  # fmt: skip
SCENE: dict[str, Field] = {
    "name": _name, "link": read_link, "title": text_field(200), "text": text_field(1000),
    "notes": text_field(5000), "minutes": number_field(0, 600), "short": read_switch,
    "question": _question, "key": _truth, "facts": _facts, "focus": read_focus,
}  # fmt: skip
STEP: dict[str, Field] = {**SCENE, "set": read_changes}
ASKED_TWICE: dict[str, Field] = {
    "name": _name, "title": text_field(200), "text": text_field(1000), "notes": text_field(5000),
    "minutes": number_field(0, 600), "question": _question,
}  # fmt: skip
QUESTION: dict[str, Field] = {
    "kind": one_of(*KINDS), "prompt": text_field(500), "options": _options, "unit": text_field(20),
    "truth": _truth, "right": _right,
}  # fmt: skip
TRUTH: dict[str, Field] = {
    "address": one_of(), "at": _at, "read": one_of(*READINGS), "axis": one_of(),
    "above": number_field(-math.inf, math.inf), "form": one_of(*FORMS), "scene": _name,
    "bounds": read_numbers, "words": read_words,
}  # fmt: skip
