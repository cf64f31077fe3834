"""The route that serves plotly.js, as the installed plotly package brings it, to our charts.

Streamlit has a copy of its own, but only inside the element that builds a chart anew for every
change of its data. Knows nothing of Streamlit's session: the server asks for `route()` once.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

# The version is part of the path: a browser may keep the script for good.
PATH = f"/scripts/plotly-{version('plotly')}.js"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}

_served = False


def route() -> Route:
    """The route of the script, for `st.App(routes=…)`."""
    return Route(PATH, _send)


@contextmanager
def served() -> Iterator[None]:
    """While the server runs that has the route: charts are updated in place."""
    global _served
    _served = True
    try:
        yield
    finally:
        _served = False


def is_served() -> bool:
    """Whether this process serves the script: AppTest does not."""
    return _served


async def _send(request: Request) -> Response:
    packed = "gzip" in request.headers.get("accept-encoding", "")
    body = await run_in_threadpool(_packed if packed else _script)
    encoding = {"Content-Encoding": "gzip"} if packed else {}
    headers = {**FOR_GOOD, **encoding, "Vary": "Accept-Encoding"}
    return Response(body, media_type="text/javascript", headers=headers)


def _script() -> bytes:
    return files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()


@cache
def _packed() -> bytes:
    return gzip.compress(_script(), compresslevel=6)
