"""Uploaded files: bounded by session and over the server, dropped when they are read."""

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from glassformer.app.runs import uploads
from glassformer.app.runs.uploads import A_FILE, UploadLimit, bytes_held, take_upload
from glassformer.app.session import limits
from glassformer.app.session.limits import UPLOAD_BYTES, UPLOADS_BYTES
from tests.visitor import run

MOST = 2**20


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """Streamlit's own store, as the running server would have it; small limits."""
    found = MemoryUploadedFileManager("/_stcore/upload_file")
    server = SimpleNamespace(
        exists=lambda: True, get_instance=lambda: SimpleNamespace(uploaded_file_mgr=found)
    )
    monkeypatch.setattr(uploads, "runtime", server)
    monkeypatch.setattr(
        uploads, "get_script_run_ctx", lambda: SimpleNamespace(session_id="session")
    )
    monkeypatch.setattr(limits, "UPLOAD_BYTES", MOST)
    monkeypatch.setattr(limits, "UPLOADS_BYTES", 2 * MOST)
    return found


def put(manager: MemoryUploadedFileManager, session: str, size: int | None, name: str = "f") -> int:
    """The status of an upload that stores its body, as Streamlit's route does."""
    status: list[int] = []

    async def store(scope: Any, receive: Any, send: Any) -> None:
        record = UploadedFileRec(name, "f.txt", "text/plain", b"x" * (size or 0))
        manager.add_file(session, record)
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    headers = [] if size is None else [(b"content-length", str(size).encode())]
    path = f"/_stcore/upload_file/{session}/{name}"
    scope = {"type": "http", "method": "PUT", "path": path, "headers": headers}
    run(UploadLimit(store)(scope, receive, send))
    return status[0]


def test_a_session_and_the_server_hold_no_more_than_their_bounds(
    manager: MemoryUploadedFileManager,
) -> None:
    size = MOST // 2 - A_FILE
    assert [put(manager, "a", size, name) for name in "123"] == [204, 204, 413]
    assert bytes_held("a") == MOST
    assert [put(manager, "b", size, name) for name in "12"] == [204, 204]
    assert put(manager, "c", 1) == 413  # everybody's together
    manager.remove_session_files("a")
    assert put(manager, "c", 1) == 204


def test_many_empty_files_count_too(manager: MemoryUploadedFileManager) -> None:
    found = [put(manager, "a", 0, str(i)) for i in range(MOST // A_FILE + 1)]
    assert found[:-1] == [204] * (MOST // A_FILE) and found[-1] == 413


def test_a_file_of_unknown_length_is_refused(manager: MemoryUploadedFileManager) -> None:
    assert put(manager, "a", None) == 411
    assert bytes_held() == 0


def test_a_file_that_was_read_is_held_no_longer(manager: MemoryUploadedFileManager) -> None:
    assert put(manager, "session", 1000, "one") == 204
    record = manager.file_storage["session"]["one"]
    assert take_upload(UploadedFile(record, None)) == ("f.txt", b"x" * 1000)  # type: ignore[arg-type]
    assert bytes_held() == 0


def test_other_requests_pass() -> None:
    passed: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope["type"])

    for scope in (
        {"type": "websocket", "path": "/_stcore/stream"},
        {"type": "http", "method": "GET", "path": "/", "headers": []},
        {"type": "http", "method": "DELETE", "path": "/_stcore/upload_file/a/b", "headers": []},
    ):
        run(UploadLimit(app)(scope, None, None))  # type: ignore[arg-type]
    assert passed == ["websocket", "http", "http"]


def test_a_single_file_fits_and_the_bounds_are_ordered() -> None:
    from streamlit import config

    assert config.get_option("server.maxUploadSize") * 2**20 <= UPLOAD_BYTES < UPLOADS_BYTES
