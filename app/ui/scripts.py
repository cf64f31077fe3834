"""The route that serves scripts to the browser once: those of our components, and plotly.js.

What Streamlit itself sends of a component it sends again with every new data; and of plotly.js it
has a copy only inside the element that builds a chart anew for every change of its data. Knows
nothing of Streamlit's session: the server asks for `route()` once.
"""

import gzip
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit.components.v2 import manifest_scanner

# The version, or what a script says, is part of its name: a browser may keep it for good.
PLOTLY = f"plotly-{version('plotly')}-bare.js"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}

_served = False


def scripts_route() -> Route:
    """The route of the scripts, for `st.App(routes=…)`."""
    return Route(f"{base_path()}/scripts/{{name}}", _send)


@contextmanager
def serve_scripts() -> Iterator[None]:
    """While the server runs that has the route: charts are updated in place."""
    global _served
    _served = True
    try:
        yield
    finally:
        _served = False


def is_served() -> bool:
    """Whether this process serves the scripts: AppTest does not."""
    return _served


def skip_installed_components() -> None:
    """Have Streamlit look for components in no installed package: all of ours are in this one.

    It reads what stands in each of them, for half a second: before a server answers, and before the
    first run of each AppTest.
    """
    vars(manifest_scanner)["scan_component_manifests"] = list


def serve_script(name: str, script: str) -> str:
    """Serve a script; the name under which `route()` has it."""
    body = script.encode()
    name = f"{name}-{sha256(body).hexdigest()[:12]}.js"
    _scripts[name] = lambda: body
    return name


def place_of(name: str) -> str:
    """The path of a script on the server."""
    return f"{base_path()}/scripts/{name}"


def base_path() -> str:
    """The path below which the server answers: "", or one such as "/glass"."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return base and f"/{base}"


async def _send(request: Request) -> Response:
    if (name := request.path_params["name"]) not in _scripts:
        return Response(status_code=404)
    packed = "gzip" in request.headers.get("accept-encoding", "")
    body = await run_in_threadpool(_packed if packed else _script, name)
    encoding = {"Content-Encoding": "gzip"} if packed else {}
    headers = {**FOR_GOOD, **encoding, "Vary": "Accept-Encoding"}
    return Response(body, media_type="text/javascript", headers=headers)


# How plotly.js is wrapped for all kinds of loaders, and what stays of that for a browser.
WRAPPED = re.compile(
    rb'\(\s*function\(root, factory\).{,400}\(\) => \{\s*"use strict";var Plotly=\(\(\)=>\{(.*)'
    rb"\}\)\(\);(.*window\.Plotly = Plotly;).*",
    re.DOTALL,
)
BARE = rb'"use strict";var Plotly=(function(){\1}).call(this);\2'
# The kinds of traces that it sets up when it begins: bar, box, heatmap and 44 others.
KINDS = re.compile(rb"(\.register\(\[)([\w$]+\(\)),[\w$]+\(\),([\w$]+\(\)),[\w$(),]+(\]\))")
OURS = rb"\1\2,\3\4"


def plotly_script() -> bytes:
    """plotly.js of the installed package, without what our charts do not need when it begins.

    Its wrapper goes, for V8 reads a function twice that is not called where it is written; and of
    its kinds of traces bars and heat maps are set up, as the scatter is always. Together that is
    half of the time before the first chart. Of a plotly.js of another form nothing is left out.
    """
    whole = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    return KINDS.sub(OURS, WRAPPED.sub(BARE, whole, count=1), count=1)


_scripts: dict[str, Callable[[], bytes]] = {PLOTLY: plotly_script}


def _script(name: str) -> bytes:
    return _scripts[name]()


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(_script(name), compresslevel=6)
