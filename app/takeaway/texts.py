"""Streamlit's markdown as HTML: no tag that a reader typed survives, formulas become MathML."""

import re
from collections.abc import Callable
from html import escape, unescape

from markdown_it import MarkdownIt

from glassformer.app.takeaway.formulas import mathml

# Signs of no script: places of formulas and colours while markdown is read; no text keeps them.
_OPEN, _CLOSE, _END = "\ue000", "\ue001", "\ue002"
_SIGNS = re.compile(f"[{_OPEN}{_CLOSE}{_END}]")
_FORMULA = re.compile(r"(?<!\\)(\$\$?)(?!\s)(.+?)(?<![\s\\])\1", re.DOTALL)
_DISPLAY = re.compile(r"(?<!\\)\$\$\s*(.+?)\s*(?<!\\)\$\$", re.DOTALL)
_ICON = re.compile(r"(?<!\\):material/\w+:\s*")
_INSIDE = r"(?:\\.|\[[^\[\]]*\]|[^\[\]\\])*"  # of brackets
_INK = re.compile(rf"(?<!\\):([a-z]+(?:-[a-z]+)?)\[({_INSIDE})\]")
_PLACE = re.compile(f"{_OPEN}(\\w[\\w-]*){_CLOSE}")

_reader, _keeper = (
    MarkdownIt("commonmark", {"html": kept}).enable(["table", "strikethrough"])
    for kept in (False, True)
)


def html_of(text: str, keep_tags: bool = False) -> str:
    """Paragraphs, lists and tables of a markdown text; keep_tags: those that the app wrote."""
    return _written(text, (_keeper if keep_tags else _reader).render)


def line_of(text: str) -> str:
    """A text of one line, such as a label, without a paragraph around it."""
    return _written(text, _reader.renderInline)


def paragraphs(text: str) -> str:
    """A text as it was typed: what an empty line parts are paragraphs."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", text))
    lines = (escape(part).replace("\n", "<br>") for part in parts if part)
    return "".join(f'<p dir="auto">{each}</p>' for each in lines)


def without_markup(text: str) -> str:
    """What is read of a markdown text, without any markup: for tips."""
    html = _written(text, _reader.renderInline, lambda latex, _: escape(latex))
    words = unescape(re.sub(r"<[^>]+>", "", html))
    return " ".join(words.split())


def _written(
    text: str, render: Callable[[str], str], formula: Callable[[str, bool], str] = mathml
) -> str:
    held: list[str] = []

    def put(latex: str, display: bool) -> str:
        held.append(formula(latex, display))
        return f"{_OPEN}{len(held) - 1}{_CLOSE}"

    text = _ICON.sub("", _SIGNS.sub("", text))
    text = _DISPLAY.sub(lambda found: put(found[1], True), text)
    text = _FORMULA.sub(lambda found: put(found[2], False), text)
    while (inked := _INK.sub(rf"{_OPEN}ink-\1{_CLOSE}\2{_END}", text)) != text:
        text = inked  # one may stand in another
    html = render(text).replace(_END, "</span>")

    def back(place: re.Match[str]) -> str:
        name = place[1]
        return held[int(name)] if name.isdigit() else f'<span class="{name}">'

    return _PLACE.sub(back, html)
