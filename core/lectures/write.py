"""A lecture as the TOML that `read_lecture` reads back equal, laid out for people to go on with."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from urllib.parse import quote

from glassformer.core.lectures.lecture import Lecture, Link, Question, Scene, Text, Truth


def write_lecture(lecture: Lecture) -> str:
    """The file of a lecture.

    Args:
        lecture: to be written.

    Returns:
        TOML that `read_lecture` reads back equal.
    """
    lines = [f"name = {_string(lecture.name)}"]
    lines += [*_texts("title", lecture.title), *_texts("about", lecture.about)]
    for scene in lecture.scenes:
        if scene.asked == "before" and scene.question is not None:
            asked = replace(scene, name=scene.name.removeprefix("before-"))
            lines += ["", "[[before_and_after]]", *_asked_twice(asked)]
    table = ""
    for scene in lecture.scenes:
        if not scene.asked:
            table = "scene.step" if scene.step and table else "scene"
            lines += ["", f"[[{table}]]", *_scene(table, scene)]
    for language, words in lecture.gloss.items():
        lines += ["", f"[gloss.{language}]"]
        lines += [f"{_string(word)} = {_string(said)}" for word, said in words.items()]
    return "\n".join(lines) + "\n"


def link_text(link: Link) -> str:
    """A link in one line, its texts readable: what a browser shows of it.

    Args:
        link: page and query.

    Returns:
        "page?name=value&…", without "?" where nothing is asked.
    """
    page, query = link
    parts = [f"{quote(name)}={_readable(value)}" for name, value in query.items()]
    return f"{page}?{'&'.join(parts)}" if parts else page


def _scene(table: str, scene: Scene) -> Iterator[str]:
    yield f"name = {_string(scene.name)}"
    if scene.links:
        for language in scene.title:
            yield f"link.{language} = {_string(_link(scene.link(language)))}"
    else:
        yield f"link = {_string(_link((scene.page, scene.query)))}"
    yield from _said(scene)
    if scene.step or not scene.short:
        yield f"short = {str(scene.short).lower()}"
    if scene.focus:
        yield f"focus = {_value(scene.focus)}"
    if scene.key is not None:
        yield f"key = {_truth(scene.key)}"
    for name, fact in scene.facts.items():
        yield f"facts.{name} = {_truth(fact)}"
    if scene.question is not None:
        yield from (f"[{table}.question]", *_question(scene.question))


def _link(link: Link) -> str:
    return link_text(link) or "translate"


def _asked_twice(scene: Scene) -> Iterator[str]:
    yield f"name = {_string(scene.name)}"
    yield from _said(scene)
    if scene.question is not None:
        yield from ("[before_and_after.question]", *_question(scene.question))


def _said(scene: Scene) -> Iterator[str]:
    for name in ("title", "text", "notes"):
        yield from _texts(name, getattr(scene, name))
    yield f"minutes = {scene.minutes:g}"


def _question(question: Question) -> Iterator[str]:
    yield f"kind = {_string(question.kind)}"
    yield from _texts("prompt", question.prompt)
    yield from _texts("unit", question.unit)
    if question.options:
        yield "options = ["
        yield from (f"  {_value(option)}," for option in question.options)
        yield "]"
    if question.right is None:
        yield f"truth = {_truth(question.truth)}"
    else:
        yield f"right = {question.right}"


def _truth(truth: Truth) -> str:
    known = {each.name: getattr(truth, each.name) for each in fields(truth)}
    plain = Truth("")
    return _value({name: each for name, each in known.items() if each != getattr(plain, name)})


def _texts(name: str, text: Text) -> Iterator[str]:
    for language, said in text.items():
        yield f"{name}.{language} = {_string(said)}"


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _string(value) if isinstance(value, str) else str(value)


def _string(text: str) -> str:
    """A string in TOML: as in JSON, but for DEL; several lines stay several lines."""
    if "\n" not in text:
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return '"""\n' + "\n".join(_string(line)[1:-1] for line in text.split("\n")) + '"""'


def _readable(text: str) -> str:
    """Percent-encoded where a link needs it; letters of all scripts stay."""
    kept = "".join(quote(each, "/:@,'! ") if each.isascii() else each for each in text)
    return kept.replace(" ", "+")
