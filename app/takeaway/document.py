"""A lecture as one HTML page that opens offline: texts, screens, and the scripts that draw them.

Each screen lies in a frame of its own, where the app's style sheets and components find the page
that they know. What a frame needs is packed; only scripts whose hash the page names may run, and
nothing may be loaded. The browser's print of it is the handout.
"""

import base64
import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import orjson
import streamlit

from glassformer.app.plots.colours import DARK, LIGHT
from glassformer.app.runs.scenes import trace_of
from glassformer.app.takeaway.screens import draw_screens
from glassformer.app.takeaway.texts import line_of, paragraphs
from glassformer.app.ui.scripts import plotly_script
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.truth import Said, answer_of, fill_texts

# The type that the app is set in, as the installed Streamlit brings it.
MEDIA = Path(streamlit.__file__).parent / "static" / "static" / "media"
TYPE = sorted(MEDIA.glob("SourceSansVF-Upright*.woff2"))[:1]
MOST = 12_000_000  # bytes of a page
CHART = "chart"  # the component that wants plotly.js
FRAME_WORDS = ("theme", "print", "answer", "notes", "contents", "alive")


@dataclass(frozen=True)
class _Section:
    """A scene in words, and what its screen shows."""

    scene: Scene
    said: Said
    answer: str
    screen: dict[str, Any]


def lecture_page(lecture: Lecture, language: str, notes: bool = False) -> bytes:
    """The page of a lecture. notes: with the speaker's notes, which are not the audience's.

    A scene whose link or run fails says so in its place. Raises `GlassformerError`: takeaway_large
    for a page that nobody could send, and those of `screens`.
    """
    spoken = language if language in lecture.languages else lecture.languages[0]
    links = [scene.link(spoken) for scene in lecture.scenes]
    shown = draw_screens([(name, {**query, "language": spoken}) for name, query in links])
    sections = [
        _Section(scene, *_words(lecture, scene, spoken), screen)
        for scene, screen in zip(lecture.scenes, shown, strict=True)
    ]
    return _bounded(_LectureWriter(spoken, lecture, notes).lecture(sections))


def panel_page(title: str, screen: dict[str, Any], language: str, theme: str) -> bytes:
    """A page of one picture, for a frame in another page, as high as what it shows.

    screen: as `draw.draw_panel` tells it. Raises `GlassformerError`: takeaway_large.
    """
    writer = _Writer(language)
    look = f' data-theme="{theme}" data-alone'
    return _bounded(writer.document(title, writer.picture(0, title, screen), look=look))


def _bounded(written: str) -> bytes:
    page = written.encode()
    if len(page) > MOST:
        given, limit = (f"{size / 1e6:.1f} MB" for size in (len(page), MOST))
        raise GlassformerError("takeaway_large", given=given, limit=limit)
    return page


def _words(lecture: Lecture, scene: Scene, language: str) -> tuple[Said, str]:
    """What is said of a scene and its answer; what a run refuses is said in their place."""
    try:
        answer = answer_of(lecture, scene, language, trace_of)
        return fill_texts(lecture, scene, language, trace_of), answer.text if answer else ""
    except GlassformerError as error:
        own = (part.get(language, "") for part in (scene.title, scene.text, scene.notes))
        title, text, notes = own
        return Said(title, f"{text}\n\n{error_text(error, language)}", notes), ""


def error_text(error: GlassformerError, language: str) -> str:
    """What an error says in a language, as plain text."""
    return say(f"errors.{error.key}", language, **{n: str(v) for n, v in error.values.items()})


class _Writer:
    """Writes one page; collects what its screens share."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.sheets: dict[bytes, Any] = {}
        self.scripts: dict[str, str] = {}

    def say(self, key: str, **values: Any) -> str:
        return escape(say(key, self.language, **values))

    def document(
        self, title: str, scenes: str, about: str = "", contents: str = "", look: str = ""
    ) -> str:
        """The whole page. scenes: as HTML. look: attributes of its root."""
        shared = {
            "base": _own("frame.css"),
            "sheets": list(self.sheets.values()),
            "scripts": self.scripts,
        }
        blobs = [_blob("shared", orjson.dumps(shared))]
        blobs += [_blob("type", path.read_bytes()) for path in TYPE]
        main, drawing = _own("page.js"), plotly_script() if CHART in self.scripts else b""
        if drawing:
            blobs.append(_blob("plotly", drawing))
        texts = (main, drawing.decode(), *self.scripts.values())
        allowed = " ".join(_hash(each) for each in texts if each)
        return Template(_own("page.html")).substitute(
            language=self.language,
            look=look,
            allowed=allowed,
            title=escape(title),
            style=_colours() + _own("page.css"),
            about=paragraphs(about),
            contents=contents,
            scenes=scenes,
            run=line_of(say("takeaway.run", self.language)),
            blobs="\n".join(blobs),
            script=main,
            **{f"word_{name}": self.say(f"takeaway.{name}") for name in FRAME_WORDS},
        )

    def picture(self, at: int, title: str, drawn: dict[str, Any]) -> str:
        if drawn.get("failed"):
            return f'<p class="missing">{self.say("takeaway.failed")}</p>'
        scripts, held = drawn["scripts"], dict(drawn["screen"])
        self.scripts |= {name: _placed(name, text) for name, text in scripts.items()}
        held["sheets"] = self.kept(held["sheets"])
        large = drawn["large"]
        missing = self.say("takeaway.large", size=f"{large / 1e6:.1f} MB")
        return (
            (f'<p class="missing">{missing}</p>' if large else "")
            + f'<div class="picture" data-screen="screen-{at}" data-title="{escape(title)}">'
            + f"{_blob(f'screen-{at}', orjson.dumps(held))}</div>"
        )

    def kept(self, sheets: Any) -> list[int]:
        """Where each style sheet stands among those of all screens."""
        for sheet in sheets:
            self.sheets.setdefault(orjson.dumps(sheet), sheet)
        places = list(self.sheets)
        return [places.index(orjson.dumps(sheet)) for sheet in sheets]


class _LectureWriter(_Writer):
    """Writes the page of a lecture."""

    def __init__(self, language: str, lecture: Lecture, notes: bool) -> None:
        super().__init__(language)
        self.own, self.notes = lecture, notes

    def lecture(self, sections: Sequence[_Section]) -> str:
        scenes = [self.section(at, each, len(sections)) for at, each in enumerate(sections)]
        about = self.own.about.get(self.language, "")
        title, contents = self.own.title[self.language], self.contents(sections)
        return self.document(title, "\n".join(scenes), about, contents)

    def contents(self, sections: Iterable[_Section]) -> str:
        titles = ((escape(each.scene.name), escape(each.said.title)) for each in sections)
        return "".join(f'<li><a href="#{to}"><bdi>{title}</bdi></a></li>' for to, title in titles)

    def section(self, at: int, each: _Section, count: int) -> str:
        running = f"{escape(self.own.title[self.language])} · {at + 1} / {count}"
        notes = f"<b>{self.say('takeaway.notes')}</b>{paragraphs(each.said.notes)}"
        return (
            f'<section class="scene" id="{escape(each.scene.name)}">'
            f'<p class="running" dir="auto">{running}</p>'
            f'<h2 dir="auto">{escape(each.said.title)}</h2>'
            f'<div class="text">{paragraphs(each.said.text)}</div>'
            f"{self.picture(at, each.said.title, each.screen)}{self.question(each)}"
            + (f'<aside class="notes">{notes}</aside>' if self.notes and each.said.notes else "")
            + "</section>"
        )

    def question(self, each: _Section) -> str:
        question = each.scene.question
        if question is None:
            return ""
        options = "".join(f"<li>{escape(each[self.language])}</li>" for each in question.options)
        unit = escape(question.unit.get(self.language, ""))
        answer = f"<bdi>{escape(each.answer)}</bdi> {unit}"
        address = f"<code>{escape(question.truth.address)}</code>"
        shown = self.say("takeaway.answer")
        return (
            '<div class="question">'
            f'<p dir="auto"><b>{escape(question.prompt[self.language])}</b></p>'
            f"{f'<ul>{options}</ul>' if options else ''}"
            + (
                f"<details><summary>{shown}</summary><p>{answer} {address}</p></details>"
                if each.scene.asked != "before"
                else ""
            )
            + "</div>"
        )


def _own(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _colours() -> str:
    """The colours of the roles, light and dark."""

    def told(roles: dict[str, str]) -> str:
        return " ".join(f"--{role.replace('_', '-')}: {value};" for role, value in roles.items())

    light, dark = told(LIGHT), told(DARK)
    return f':root {{ {light} }} @media screen {{ :root[data-theme="dark"] {{ {dark} }} }}\n'


def _placed(name: str, function: str) -> str:
    """The script that, run in a frame, puts the function of a component under its name."""
    return f"glass[{orjson.dumps(name).decode()}] = {function};"


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"


def _blob(name: str, data: bytes) -> str:
    """Packed data: of letters and digits only, so that nothing in it ends the element."""
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
    return f'<script type="application/gzip" id="{name}">{packed}</script>'
