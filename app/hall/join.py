"""Where the audience finds a room: its address as others in the network reach it, as a QR code."""

import base64
from io import BytesIO

import segno
from starlette.requests import Request
from streamlit import config

from app.server import network


def address(request: Request, code: str) -> str:
    """The URL of a room's audience page.

    Whoever presents by a name of this machine alone is told the machine's address in its network;
    behind a proxy what the proxy says of itself counts.
    """
    headers = request.headers
    host = headers.get("x-forwarded-host", headers.get("host", "")).partition(",")[0].strip()
    name = (request.url.hostname or "") if "x-forwarded-host" not in headers else host
    if network.is_local(name) and network.listens_beyond():
        host = f"{network.network_host()}:{config.get_option('server.port')}"
    before = headers.get("x-forwarded-prefix", "").rstrip("/") or network.base_path()
    return f"{request.url.scheme}://{host}{before}/hall/{code}"


def path(place: str) -> str:
    """The path of a page of this server, "present" or "hall/…"."""
    return f"{network.base_path()}/{place}"


def qr(text: str) -> bytes:
    """A text as the SVG of a QR code, dark on white with its quiet margin in either theme."""
    found = BytesIO()
    segno.make(text, error="m", micro=False).save(
        found, kind="svg", scale=8, border=3, dark="#000", light="#fff", xmldecl=False,
        svgns=True, omitsize=True, title=text,
    )  # fmt: skip
    return found.getvalue()


def as_data(svg: bytes) -> str:
    """A picture as a `data:` address: one with a key in it is no address of the server."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
