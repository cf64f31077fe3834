"""Uploaded files: how many bytes a session may send, and that they go once they are read.

Streamlit's upload route looks at the size of one file alone, and keeps what it got until the
session ends, whatever a page makes of it.
"""

from collections import Counter
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from glassformer.app.session import limits

ROUTE = "/_stcore/upload_file/"
A_FILE = 4096  # bytes that a file counts beside its content: a million empty ones are no gift


def take_upload(file: UploadedFile) -> tuple[str, bytes]:
    """Name and content of a file that a widget has just got; the server holds it no longer.

    Give the widget a new key then: it would go on naming a file that is not there.
    """
    content = file.getvalue()
    context = get_script_run_ctx()
    if context is not None and runtime.exists():
        manager: Any = runtime.get_instance().uploaded_file_mgr
        manager.remove_file(context.session_id, file.file_id)
    return file.name, content


class UploadLimit:
    """ASGI middleware: refuses a file by which a session, or all of them, would hold too much."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming = Counter[str]()  # bytes that are on their way, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request; all but uploads pass."""
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or ROUTE not in path:
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"")
        if not length.isdigit():
            await PlainTextResponse("Say how long it is", 411)(scope, receive, send)
            return
        session, size = path.partition(ROUTE)[2].partition("/")[0], int(length[:15]) + A_FILE
        own = bytes_held(session) + self._coming[session] + size
        everybody = bytes_held() + self._coming.total() + size
        if own > limits.UPLOAD_BYTES or everybody > limits.UPLOADS_BYTES:
            await PlainTextResponse("Too much is uploaded", 413)(scope, receive, send)
            return
        self._coming[session] += size
        try:
            await self._app(scope, receive, send)
        finally:
            self._coming[session] -= size
            if not self._coming[session]:
                del self._coming[session]


def bytes_held(session: str | None = None) -> int:
    """Bytes of the files that the server holds for a session; None: for all of them."""
    if not runtime.exists():
        return 0
    manager: Any = runtime.get_instance().uploaded_file_mgr
    storage = manager.file_storage
    sessions = list(storage) if session is None else [session]
    files = (file for each in sessions for file in list(storage.get(each, {}).values()))
    return sum(len(file.data) + A_FILE for file in files)
