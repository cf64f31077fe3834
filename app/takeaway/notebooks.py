"""A lecture as a notebook that runs: each scene computes its run again and draws what it is about.

Plain JSON in the notebook's own format (4.5); running it takes Glassformer,
installed or as a checkout, and anywidget.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, cast

from glassformer.app.panels.address_words import run_lines
from glassformer.app.panels.panel import PAGES, panels_of
from glassformer.app.runs.scenes import trace_of
from glassformer.app.session.state import State
from glassformer.app.takeaway.document import error_text
from glassformer.app.takeaway.panel_pictures import panel_name
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Kind, attention_at
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.truth import answer_of, fill_texts
from glassformer.core.trace.trace import Trace

# What of a link is in the lines of the run, or is the reader's choice.
OF_THE_RUN = {"text", "text_pair", "direction", "model", "edits", "language", "theme"}
FIRST = "from glassformer.app.takeaway import widgets  # gives every run .show() and .lines()"


def lecture_notebook(lecture: Lecture, language: str) -> bytes:
    """The notebook of a lecture, without output."""
    spoken = language if language in lecture.languages else lecture.languages[0]
    title, about = (each.get(spoken, "") for each in (lecture.title, lecture.about))
    how = say("takeaway.notebook", spoken)
    cells = [_words(f"# {literal(title)}", about, markdown=how), _code(FIRST)]
    for scene in lecture.scenes:
        cells += _scene(lecture, scene, spoken)
    for at, cell in enumerate(cells):
        cell["id"] = f"cell-{at}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    held = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(held, ensure_ascii=False, indent=1).encode()


def _scene(lecture: Lecture, scene: Scene, language: str) -> Iterator[dict[str, Any]]:
    try:
        words, trace = fill_texts(lecture, scene, language, trace_of), trace_of(scene, language)
    except GlassformerError as error:
        yield _words(f"## {literal(scene.title.get(language, ''))}", error_text(error, language))
        return
    yield _words(f"## {literal(words.title)}", words.text)
    page, query = scene.link(language)
    state, _ = State.from_query(dict(query))
    run = run_lines(trace, state, state.edits if trace.edits else "")
    yield _code("\n".join([*run, "print(trace.output_text)"]))
    yield _code(picture_line(trace, page, state))
    if scene.question is None:
        return
    yield _words(f"**{literal(scene.question.prompt[language])}**")
    try:
        answer = answer_of(lecture, scene, language, trace_of)
    except GlassformerError as error:
        yield _words("", error_text(error, language))
        return
    if answer is not None and not answer.address:
        yield _words("", answer.text)
    elif answer is not None:
        place = "".join(f", {axis}={index}" for axis, index in answer.place.items())
        found = f"trace.pick({answer.address!r}{place})"
        if scene.question.truth.scene:  # it is read in another scene's run
            found = f"# {say('takeaway.elsewhere', language)}\n# {found}"
        yield _code(f"{found}  # {_line(answer.text)}")


def picture_line(trace: Trace, page: str, state: State) -> str:
    """The line that draws what a page is about."""
    if page in PAGES and page != "switch":
        field = PAGES[page][0]
        name = panel_name(panels_of(page)[getattr(state, field)])
        own = {each.name for each in fields(State) if getattr(state, each.name) != each.default}
        given = (f"{each}={getattr(state, each)!r}" for each in sorted(own - OF_THE_RUN - {field}))
        return f"trace.show.{name}({', '.join(given)})"
    if page in ("attention", "switch"):
        address = f"{attention_at(cast(Kind, state.kind), state.layer)}/{state.stage}"
        head = "" if state.head is None else f", head={state.head}"
    else:
        address, head = state.address, ""
    if page == "" or address not in trace:
        return "trace.lines()"
    return f"trace.show({address!r}{head})"


def _words(heading: str, text: str = "", markdown: str = "") -> dict[str, Any]:
    """A cell of words: as typed, with the paragraphs that they have; `markdown` is ours."""
    parts = (literal(part) for part in re.split(r"\n\s*\n", text))
    source = "\n\n".join(filter(None, (heading, *parts, markdown)))
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code", "metadata": {}, "source": source, "execution_count": None,
        "outputs": [],
    }  # fmt: skip


def _line(text: str) -> str:
    """A text that ends no comment."""
    return " ".join(text.split())
