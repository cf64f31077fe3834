"""Fetching, from a stand-in on this machine; and pickles, of which nothing but tensors is read."""

from __future__ import annotations

import hashlib
import json
import pickle
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from glassformer.core.cli import app
from glassformer.core.errors import GlassformerError
from glassformer.core.weights.fetch import as_safetensors, fetch_model
from glassformer.core.weights.opened_model import open_model
from tests.weights.folders import as_pickle, whole

COMMIT = "0" * 40


class Hub(BaseHTTPRequestHandler):
    """What a hub answers of one model, `somebody/small`."""

    served: Path

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, body: bool) -> None:
        path, files = self.path.partition("?")[0], sorted(self.served.iterdir())
        if path.startswith("/api/models/somebody/small/tree/"):
            told: object = [
                {"type": "file", "path": each.name, "size": each.stat().st_size, "oid": "0" * 40}
                for each in files
            ]
            self.send(json.dumps(told).encode(), "application/json", body)
        elif path.startswith("/api/models/somebody/small"):
            told = {
                "id": "somebody/small", "sha": COMMIT, "private": False, "tags": [],
                "downloads": 0, "likes": 0, "siblings": [{"rfilename": f.name} for f in files],
            }  # fmt: skip
            self.send(json.dumps(told).encode(), "application/json", body)
        elif path.startswith(f"/somebody/small/resolve/{COMMIT}/"):
            self.send((self.served / path.rpartition("/")[2]).read_bytes(), "text/plain", body)
        else:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def send(self, data: bytes, kind: str, body: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{hashlib.sha1(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A hub with one model: its address, and the folder that it serves."""
    Hub.served = tmp_path / "served"
    Hub.served.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", Hub.served
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _online(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_PROGRESS_BARS", True)


@pytest.mark.parametrize("pickled", [False, True])
def test_a_fetched_folder_opens(hub: tuple[str, Path], pickled: bool, tmp_path: Path) -> None:
    address, served = hub
    whole("gpt2", served)
    (served / "training_args.bin").write_bytes(b"not wanted")
    if pickled:
        as_pickle(served)
    folder = fetch_model("somebody/small", tmp_path / "models" / "small", address)
    assert not (folder / "training_args.bin").exists()
    assert open_model(folder).trace("a house", more=2).output_text


@pytest.mark.parametrize("name", ["somebody/else", "../up", "a/b/c", "", "x y"])
def test_what_is_not_there_is_said_in_one_sentence(
    hub: tuple[str, Path], name: str, tmp_path: Path
) -> None:
    with pytest.raises(GlassformerError, match="could not be fetched") as refused:
        fetch_model(name, tmp_path / "x", hub[0])
    assert "\n" not in str(refused.value)


class Hostile:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("run",)


def test_a_pickle_that_runs_code_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Hostile()}))
    with pytest.raises(GlassformerError, match="more than tensors"):
        as_safetensors(tmp_path)
    assert "run" not in capsys.readouterr().out


def test_the_commands_say_what_they_made(tmp_path: Path) -> None:
    whole("gpt2", tmp_path / "gpt2")
    as_pickle(tmp_path / "gpt2")
    run = CliRunner()
    done = run.invoke(app, ["convert", str(tmp_path / "gpt2")])
    assert done.exit_code == 0 and "gpt2, continue" in done.output
    done = run.invoke(app, ["export", str(tmp_path / "marian")])
    assert done.exit_code == 0 and (tmp_path / "marian" / "model.safetensors").is_file()
