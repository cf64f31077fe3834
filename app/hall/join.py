"""Where the audience finds a room: its address as others in the network reach it, as a QR code."""

import base64
import re
from io import BytesIO

import segno
from starlette.requests import Request
from streamlit import config

from glassformer.app.server import network
from glassformer.app.server.doors import name_of

PREFIX = re.compile(r"(/[\w~-][\w.~-]{0,60}){1,4}", re.ASCII)


def room_address(request: Request, code: str) -> str:
    """The URL of a room's audience page.

    Whoever presents by a name of this machine alone is told the machine's address in its network;
    behind a proxy what the proxy says of itself counts.
    """
    headers = request.headers
    given = (headers.get("x-forwarded-host", "").partition(",")[0].strip(), headers.get("host", ""))
    host = next((each for each in given if name_of(each)), "localhost")
    name = name_of(host)
    if network.is_local(name) and network.listens_beyond():
        host = f"{network.network_host()}:{config.get_option('server.port')}"
    prefix = headers.get("x-forwarded-prefix", "").rstrip("/")
    before = prefix if PREFIX.fullmatch(prefix) else network.base_path()
    return f"{request.url.scheme}://{host}{before}/hall/{code}"


def page_path(place: str) -> str:
    """The path of a page of this server, "present" or "hall/…"."""
    return f"{network.base_path()}/{place}"


def qr(text: str, title: str = "") -> bytes:
    """A text as the SVG of a QR code, dark on white with its quiet margin in either theme."""
    found = BytesIO()
    segno.make(text, error="m", micro=False).save(
        found, kind="svg", scale=8, border=3, dark="#000", light="#fff", xmldecl=False,
        svgns=True, omitsize=True, title=title or text,
    )  # fmt: skip
    return found.getvalue()


def as_data(svg: bytes) -> str:
    """A picture as a `data:` address: one with a key in it is no address of the server."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
