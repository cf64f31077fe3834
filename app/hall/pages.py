"""The light pages: each is one HTML answer that holds its style, script, words and first state.

A page is a `.html` (what stands in its body), `.css` and `.js` of one name; every page has hall.css
and follow.js before its own. Its policy allows what it holds and this server, nothing else.
"""

import base64
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import orjson
from starlette.responses import HTMLResponse

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError

FOLDER = Path(__file__).parent
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
SCRIPTS = {  # beside its own
    "present": ("follow", "driving", "pool", "played", "overlays", "present"),
    "notes": ("follow", "driving", "notes"),
}
FRAMES = {"present": "frame-src 'self'"}  # what a page needs beside the others
SHARED = ("behind", "ended", "failed", "handed", "no_scripts")
WORDS = {
    "enter": ("enter_title", "enter_about", "code", "code_hint", "enter"),
    "audience": (
        "scene", "black", "open_yourself", "open_help", "vote_choice", "vote_number", "vote_word",
        "your_answer", "change", "send", "number", "voted", "computed", "right",
        "yours", "others", "below", "above", "closed", "no_truth", "picture", "words_soon",
        "no_votes", "range", "code", "asked_in", "played", "propose_sentence", "propose_question",
        "propose_about", "question_about", "proposed",
    ),
    "notes": (
        "notes", "next", "last", "no_notes", "clock", "used", "planned", "ahead", "over", "waiting",
        "votes_so_far", "back", "forward", "blacken", "light", "reveal", "revealed", "hand_over",
        "hand_over_about", "hand_over_now", "hand_over_link", "copy", "copied", "cancel", "no_key",
        "key_keys", "computed", "right", "others", "below", "above", "range", "scene", "code",
        "followers", "no_votes", "no_truth", "is_black", "note_kinds", "asked_in", "question_open",
        "start_clock", "short_path", "votes_file", "sentences", "questions", "play", "played",
        "play_back", "drop", "learned", "learned_of", "learned_none", "learned_file",
    ),
    "present": (
        "scene", "computed", "right", "others", "below", "above", "range", "no_truth", "voted",
        "no_votes", "present_back", "present_none", "present_votes", "present_qr", "present_keys",
        "present_keys_title", "present_exploring", "present_no_panel", "present_asked",
        "present_asked_votes", "present_clock", "present_clock_short", "present_played",
        "present_played_text", "present_waiting", "next", "last", "no_notes", "note_kinds",
    ),
}  # fmt: skip


def page_response(name: str, state: Any, status: int = 200, **data: str) -> HTMLResponse:
    """A page with its first state, None for one that asks for it itself. Errors: hall_page.

    data: attributes of its body, `data-code="…"`.
    """
    if not (FOLDER / f"{name}.html").exists():
        raise GlassformerError("hall_page", given=name)
    head, tail, policy = _parts(name)
    given = " ".join(f'data-{key}="{escape(value)}"' for key, value in data.items())
    # A "<" would end the element that holds it.
    inside = orjson.dumps(state).decode().replace("<", "\\u003c")
    body = f'<body {given}>\n<script type="application/json" id="state">{inside}</script>\n'
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return HTMLResponse(f"{head}{body}{tail}", status, headers)


def entrance_page(error: GlassformerError | None, status: int, language: str) -> HTMLResponse:
    """The page that asks for a code, and says what was wrong with the one before."""
    told = {
        "error": refusal_data(error)["text"] if error is not None else None,
        "language": language,
    }
    return page_response("enter", told, status)


def refusal_data(error: GlassformerError) -> dict[str, Any]:
    """What is refused, in every language: the page knows its reader's."""
    said = {each: say(f"errors.{error.key}", each, **error.values) for each in LANGUAGES}
    return {"error": error.key, "text": said}


@cache
def _parts(name: str) -> tuple[str, str, str]:
    """What stands before the body of a page, what follows its state, and its policy."""
    style = "".join(_text(f"{each}.css") for each in ("hall", name))
    script = "".join(_text(f"{each}.js") for each in SCRIPTS.get(name, ("follow", name)))
    words = {
        each: {key: say(f"hall.{key}", each) for key in (*SHARED, *WORDS[name])}
        | {"language_name": say("language.name", each), "language_tag": say("language.tag", each)}
        for each in LANGUAGES
    }
    told = orjson.dumps(words).decode().replace("<", "\\u003c")
    head = (
        f'<!doctype html>\n<html lang="{say("language.tag", LANGUAGES[0])}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>Glassformer</title>\n'
        f"<style>{style}</style>\n</head>\n"
    )
    tail = (
        f'<script type="application/json" id="words">{told}</script>\n{_text(f"{name}.html")}\n'
        f"<noscript>{' '.join(say('hall.no_scripts', each) for each in LANGUAGES)}</noscript>\n"
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
    allowed = (
        "default-src 'none'", f"script-src {_hash(script)}", f"style-src {_hash(style)}",
        "img-src 'self' data: blob:", "connect-src 'self'", "base-uri 'none'",
        "form-action 'self'", "frame-ancestors 'self'", FRAMES.get(name, "frame-src 'none'"),
    )  # fmt: skip
    return head, tail, "; ".join(allowed)


def _text(name: str) -> str:
    path = FOLDER / name
    return path.read_text("utf-8") if path.exists() else ""


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"
