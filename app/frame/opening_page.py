"""The page that a browser gets before the app has said anything, laid out from the start.

It is Streamlit's. That sends the style sheet of an app as the first of its elements, and draws some
before it has the script for that: all of them would jump. So the sheet stands in the page itself
until then, and with it what writes the words of the boxes (`kit.js`). Where the server is, is said
as well: Streamlit would ask below the path of each page first, and be answered 404.
"""

import json
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit import config

from glassformer.app.frame.first_words import PATH
from glassformer.app.ui.scripts import PLOTLY, base_path, place_of, serve_script
from glassformer.app.ui.sheets import SIZES, layout_rules

INDEX = Path(streamlit.__file__).parent / "static" / "index.html"
APP = Path(__file__).parents[1]
PAGES = tuple(path.parent.name for path in APP.glob("pages/*/page.py"))
FIRST = "translate"  # which stands at the root
FIRST_SCRIPT = '<script type="module"'
# Streamlit's elements on every page, each a script that it else begins to load when it has one.
ELEMENTS = (
    "Html",
    "BidiComponent",
    "Button",
    "ButtonGroup",
    "TextInput",
    "MenuButton",
    "Selectbox",
)
WAITS = 5  # seconds until it is seen in any case
# Room that components at the top of a page have while their scripts come, in rem, by their keys.
ROOM = {
    "decoding_strip": 12, "head_grid": 9.3, "headline": 5.125,
    "walk_steps": 4.375, "walk_words": 19,
}  # fmt: skip
IN_LARGE_TYPE = {"headline": 3.925}  # where its type is no larger than what is around it
ON_A_PHONE = {"headline": 11.125}  # where its lines are more
THEMES = ("light", "dark")
LOW = 832  # pixels: a window that is lower folds its frame (sizes.css), at the usual size of type


def page_routes(boot: str) -> list[Route]:
    """The routes of the pages, for `st.App(routes=…)`; the first is found at the root.

    Its own path leads there.
    boot: the name of this server's process, which a page brings along (`reconnect.js`).
    """
    return [Route(f"{base_path()}/{name}", partial(_send, boot)) for name in ("", *PAGES)]


async def _send(boot: str, request: Request) -> Response:
    if request.url.path == f"{base_path()}/{FIRST}":  # Streamlit has it at the root alone
        return RedirectResponse(f"{base_path()}/{'?' * bool(request.url.query)}{request.url.query}")
    given = dict(parse_qsl(request.url.query)).get("size", "")
    size = int(given) if given in map(str, SIZES) else SIZES[0]
    name = request.url.path.removeprefix(f"{base_path()}/")
    return HTMLResponse(_page(boot, name, size), headers={"Cache-Control": "no-cache"})


@cache
def _page(boot: str, name: str, size: int) -> str:
    """name: of the page, "" for the first one. size: of the type, in percent."""
    head, script, rest = INDEX.read_text(encoding="utf-8").partition(FIRST_SCRIPT)
    before, body, after = rest.partition("<body>")
    return f"{head}{_scripts(boot)}{script}{before}{body}{_rules(name, size)}{after}"


def _scripts(boot: str) -> str:
    names = (
        "ui/kit.js",
        "ui/chart_library.js",
        "frame/reconnect.js",
        "frame/opening.js",
        "frame/one_step.js",
    )
    named = {
        "PLOTLY": place_of(PLOTLY),
        "ELEMENTS": _elements(),
        "HOME": f"{base_path()}/",
        "FIRST_WORDS": f"{base_path()}/{PATH}",
    }
    given = [f"const {name} = {json.dumps(value)};" for name, value in named.items()]
    texts = ('const STYLES = "";', *given, *((APP / name).read_text("utf-8") for name in names))
    place = place_of(serve_script("opening", "\n".join(texts)))
    home = f"location.origin + {json.dumps(base_path() + '/')}"
    return f"""<script>window.__streamlit = {{ BACKEND_BASE_URL: {home} }};
window.glassformerBoot = {json.dumps(boot)};</script>
<script type="module" src="{place}"></script>
"""


def _elements() -> list[str]:
    found = [
        path for each in ELEMENTS for path in sorted(INDEX.parent.glob(f"static/js/{each}.*.js"))
    ]
    return [f"{base_path()}/{path.relative_to(INDEX.parent).as_posix()}" for path in found]


def _rooms(high: Mapping[str, float]) -> str:
    return "\n".join(
        f".st-key-{key}:not(:has([data-component])) {{ min-height: {rem}rem; }}"
        for key, rem in high.items()
    )


def _rules(name: str, size: int) -> str:
    # In the body: after the rules of Streamlit, which come into the head.
    begins = f"visibility: hidden; animation: seen 0s {WAITS}s forwards;"
    room = ROOM | (IN_LARGE_TYPE if size > SIZES[0] else {})
    rooms = f"{_rooms(room)}\n@media (width < 700px) {{ {_rooms(ON_A_PHONE)} }}"
    own = APP / "pages" / name / f"{name}.css"
    sheet = own.read_text(encoding="utf-8") if own.is_file() else ""
    return f"""
<style id="opening">html {{ font-size: {size}%; }} {layout_rules(size)} {sheet}</style>
<style>:root:not([data-begun]) :is(.stMain, .stMain *) {{ {begins} }}
:root:not([data-drawn]) .stApp {{ background: none; }}
@keyframes seen {{ to {{ visibility: visible; }} }}
{_colours()}
{_first_words(size)}
{rooms}
.st-key-timeline_top:not(:has(.st-key-decoding_strip [data-component])) {{ visibility: hidden; }}
[class*="st-key-bridge_"] [data-testid="stSkeleton"] {{ display: none; }}</style>
"""


def _colours() -> str:
    """Those of the theme that Streamlit will take, until it has: no white flash in a dark hall.

    It begins with a theme of its own, which is not seen.
    """
    return "\n".join(
        f':root[data-scheme="{each}"]:not([data-drawn]) {{'
        f" background: {config.get_option(f'theme.{each}.backgroundColor')};"
        f" color: {config.get_option(f'theme.{each}.textColor')}; }}"
        for each in THEMES
    )


def _first_words(size: int) -> str:
    """As those of the headline (headline.css), where it is most often: that is known a bit later.

    In a low window the sentence and the run share a line, on a phone all have lines of their own.
    """
    height = 2.4 if size > SIZES[0] else 3.6
    return f"""#first-words {{
  position: fixed; inset: 8.66rem 0 auto; z-index: 1; height: {height}rem; margin: 0 1.5rem;
  display: flex; align-items: safe center; overflow: hidden; pointer-events: none;
}}
#first-words > * {{
  width: 100%; font: 600 2.75rem / 1.25 {config.get_option("theme.font")};
  overflow-wrap: anywhere; white-space: pre-wrap;
}}
@media (height < {LOW * size / 100:g}px) {{ #first-words {{ top: 5.26rem; }} }}
@media (width < 700px) {{ #first-words {{ top: 13.6rem; margin: 0 0.8rem; }} }}
:root[data-words] .st-key-headline [data-testid="stSkeleton"] {{ visibility: hidden; }}"""
