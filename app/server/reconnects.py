"""A browser whose line broke finds its screen again at any server (`app/frame/reconnect.js`)."""

import json
from typing import Any

from starlette.datastructures import QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.util import calc_hash

from glassformer import __version__
from glassformer.app.server.fronts import BOOT

OTHER_VERSION = 4001  # the code of a close after which the browser loads its page anew
LONGEST = 2**16  # bytes of what a browser says of its screen


class Reconnects:
    """ASGI middleware: before what a browser asks that was here before, its screen is drawn.

    It says in text which screen that is, and in bytes what it asked last: of this the first run
    keeps who asks (language, time zone, theme), and no more. A session that Streamlit still has
    goes on with all that it remembers. A page of another version is to be loaded anew.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request or one connection."""
        boot = QueryParams(scope.get("query_string", b"")).get("boot")
        if scope["type"] != "websocket" or boot is None:
            await self._app(scope, receive, send)
        elif boot.rpartition("-")[0] != __version__:
            await receive()
            await send({"type": "websocket.accept", "subprotocol": "streamlit"})
            await send({"type": "websocket.close", "code": OTHER_VERSION})
        else:
            await self._app(scope, _heard(receive), _said(send))


def _heard(receive: Receive) -> Receive:
    async def heard() -> Message:
        told = await receive()
        text = told.get("text")
        if text is None or len(text) > LONGEST:
            return told
        asked = (await receive()).get("bytes") or b""
        try:
            return {"type": "websocket.receive", "bytes": screen_request(json.loads(text), asked)}
        except (ValueError, TypeError, KeyError):
            return told  # which `FirstWord` refuses

    return heard


def screen_request(screen: dict[str, Any], asked: bytes) -> bytes:
    """The request for a screen, as a browser sends it that opens a link.

    Args:
        screen: "page" and "query", as in its address.
        asked: a request that the browser has sent before.

    Returns:
        The message (`BackMsg`), as bytes.

    Raises:
        ValueError, TypeError, KeyError: where either is something else.
    """
    try:
        before = BackMsg.FromString(asked)
    except Exception as error:  # of protobuf: its kind depends on how it was built
        raise ValueError("no message of the app") from error
    found = BackMsg()
    run = found.rerun_script
    run.context_info.CopyFrom(before.rerun_script.context_info)
    run.page_name, run.query_string = screen["page"], screen["query"]
    # Streamlit's name of a page. Without it the browser would take the run for one of the first
    # page, and ask for that with a click, until the run has come to its navigation.
    run.page_script_hash = calc_hash(run.page_name) if run.page_name else ""
    asked_anew: bytes = found.SerializeToString()
    return asked_anew


def _said(send: Send) -> Send:
    """Tells the browser where it is, and in which session: with this it comes back."""
    named = False

    async def said(message: Message) -> None:
        nonlocal named
        await send(message)
        if message["type"] == "websocket.accept":
            await _tell(send, boot=BOOT)
        elif not named and (payload := message.get("bytes")):
            found = ForwardMsg.FromString(payload).new_session.initialize.session_id
            if found:
                named = True
                await _tell(send, session=[found])

    return said


async def _tell(send: Send, **what: Any) -> None:
    await send({"type": "websocket.send", "text": json.dumps(what)})
