"""The translation that a page shows before it has Streamlit's scripts: of a run that is there.

The app takes a second to come: its scripts are two megabytes, and make everything else. Words
need none of them. They stand where the headline will, until it does (`opening.js`).
"""

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from glassformer.app.ui.scripts import base_path

PATH = "first-words"
LOOK = 0.02  # seconds between two looks whether the model is loaded
LOOKS = 1500  # half a minute; the app comes without the words, too
# Whatever else is asked for changes the words, or what stands there.
PLAIN = frozenset(("text", "direction", "language", "theme", "size"))
FRESH = {"Cache-Control": "no-store"}


def first_words_route(is_loaded: Callable[[], bool]) -> Route:
    """The route, for `st.App(routes=…)`; the query is that of the page, which is the first one."""

    async def answer(request: Request) -> Response:
        for _ in range(LOOKS):
            if is_loaded():
                break
            await asyncio.sleep(LOOK)
        words = first_words(dict(parse_qsl(request.url.query))) if is_loaded() else None
        return JSONResponse(words, headers=FRESH)

    return Route(f"{base_path()}/{PATH}", answer)


def first_words(query: Mapping[str, str]) -> dict[str, str] | None:
    """The words of the screen that a query asks for, and their language.

    None where they would have to be computed, are several sentences, or are not to be trusted:
    there the app says more than the words.
    """
    # late: torch comes with it
    from glassformer.app.runs.traces import known_trace
    from glassformer.app.session.state import State
    from glassformer.core.analysis.confidence import confidence
    from glassformer.core.lectures.links import unpack_query

    asked = unpack_query(query)
    state, wrong = State.from_query(asked)
    if wrong or not asked.keys() <= PLAIN:
        return None
    trace = known_trace(state.own_text, state.direction)
    if trace is None or trace.further or confidence(trace).level != "sure":
        return None
    return {"text": trace.output_text, "language": trace.language}
