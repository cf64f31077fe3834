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
from pathlib import Path as File
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.fields import (
    Field,
    Reader,
    is_count,
    number_field,
    one_of,
    read_numbers,
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
    Truth,
)
from glassformer.core.lectures.lines import Path, line_at, lines_of, lines_without_strings
from glassformer.core.lectures.links import MOST, PACKED, unpack_query

FOLDER = File(__file__).parents[2] / "assets" / "lectures"
MOST_BYTES = 256_000
MOST_LINES = 5000
MOST_SCENES = 100
MOST_OPTIONS = 6
MOST_ASKED_TWICE = 5  # questions that a lecture begins and ends with
LONGEST_LINE = 400  # characters beside strings: long dotted keys cost their square
LONGEST_LINK = 8000
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
FACT = re.compile(r"[a-z][a-z0-9_]{0,39}")
PAGE = re.compile(r"[a-z]{0,30}")
THE_READERS = ("language", "theme", "size", "mine")  # of a link: whoever looks has their own


def bundled_lectures() -> tuple[str, ...]:
    """The lectures that come with the app.

    Returns:
        Their names, in alphabetical order.
    """
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


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
    asked = sum(scene.asked == "before" for scene in scenes)
    paths: list[Path] = [("before_and_after", at) for at in range(asked)]
    paths += [("scene", at) for at in range(len(scenes) - 2 * asked)] + paths
    for at, scene in enumerate(scenes):
        if scene.name in names[:at]:
            reader.refuse("lecture_twice", (*paths[at], "name"), given=scene.name)
    for at, scene in enumerate(scenes):
        for each in scene.truths.values():
            if each.scene and each.scene not in names:
                reader.refuse("lecture_scene", paths[at], given=each.scene)
    return Lecture(**{"about": {}, **found}, scenes=scenes)


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
            link = {"page": beside.page, "query": beside.query, "links": beside.links}
            name = f"{when}-{each.name}"
            found[when].append(replace(each, name=name, asked=when, question=question, **link))
    return *found["before"], *scenes, *found["after"]


def _asked_twice(reader: Reader, path: Path, given: Any) -> tuple[Scene, ...]:
    """The questions of the start and the end, each a choice, as scenes that have no link yet."""
    if not isinstance(given, list) or len(given) > MOST_ASKED_TWICE:
        reader.refuse("lecture_kind", path, allowed="[[before_and_after]]")
    found = []
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
    return tuple(_scene(reader, (*path, at), each) for at, each in enumerate(given))


def _scene(reader: Reader, path: Path, given: Any) -> Scene:
    found = reader.fields(path, given, SCENE, ("name", "link", "title"))
    links: dict[str, Link] = found.pop("link")
    page, query = next(iter(links.values()))
    if "" in links:
        links = {}
    scene = Scene(**found, page=page, query=query, links=links, line=line_at(path, reader.lines))
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


def _link(reader: Reader, path: Path, given: Any) -> dict[str, Link]:
    """The links by language; a single one under ""."""
    if not isinstance(given, dict):
        return {"": _one_link(reader, path, given)}
    texts = text_field(LONGEST_LINK)(reader, path, given)
    return {
        language: _one_link(reader, (*path, language), each) for language, each in texts.items()
    }


def _one_link(reader: Reader, path: Path, given: Any) -> Link:
    """Page and query of a link as it was copied, with or without the server's address."""
    if not isinstance(given, str) or len(given) > LONGEST_LINK:
        reader.refuse("lecture_link", path, given=str(given)[:60])
    try:
        parts = urlsplit(given.strip())
        query = unpack_query(
            dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MOST))
        )
    except ValueError:
        reader.refuse("lecture_link", path, given=given[:60])
    page = parts.path.rstrip("/").rpartition("/")[2]
    if not PAGE.fullmatch(page) or PACKED in query or any("\0" in each for each in query.values()):
        reader.refuse("lecture_link", path, given=given[:60])
    kept = {name: each for name, each in query.items() if name not in THE_READERS}
    return "" if page == "translate" else page, kept


def _name(reader: Reader, path: Path, given: Any) -> str:
    if not isinstance(given, str) or not NAME.fullmatch(given):
        reader.refuse("lecture_name", path, given=str(given)[:60])
    return given


# In this order: the languages of a lecture are those of its title.
LECTURE: dict[str, Field] = {
    "name": _name, "title": text_field(200, new=True), "about": text_field(1000), "scene": _scenes,
    "before_and_after": _asked_twice,
}  # fmt: skip
SCENE: dict[str, Field] = {
    "name": _name, "link": _link, "title": text_field(200), "text": text_field(1000),
    "notes": text_field(5000), "minutes": number_field(0, 600), "question": _question,
    "key": _truth, "facts": _facts,
}  # fmt: skip
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
