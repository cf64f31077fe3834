"""Who can open the app: what the line at the start says, and that it is so."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from streamlit import config

from glassformer.app.server.network import describe_reach, host_in_url, is_local
from tests.architecture.sources import ROOT


def said(monkeypatch: pytest.MonkeyPatch, address: str | None) -> str:
    options = {"server.address": address, "server.port": 8600}
    monkeypatch.setattr(config, "get_option", options.__getitem__)
    return describe_reach()


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "127.0.1.1"])
def test_this_machine_alone(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    text = said(monkeypatch, address)
    assert text.startswith("Only this machine can open it, at http://localhost:8600 ")
    assert "ADDRESS=0.0.0.0" in text


@pytest.mark.parametrize("address", [None, "", "0.0.0.0", "::"])
def test_everybody_in_the_network(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    text = said(monkeypatch, address)
    assert re.match(r"Everybody in the network can open it, at http://[^ ]+:8600 ", text)
    assert "0.0.0.0:" not in text and "ADDRESS=127.0.0.1" in text


def test_one_address_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "at http://192.0.2.7:8600 " in said(monkeypatch, "192.0.2.7")
    assert host_in_url("2001:db8::1") == "[2001:db8::1]"
    assert not is_local("my-machine.example")


@contextmanager
def started(*options: str) -> Iterator[tuple[str, int]]:
    """What the server says at its start, and its port; stopped afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "streamlit", "run", "serve.py", "--server.headless", "true"]
    with subprocess.Popen(
        [*command, "--server.port", str(port), *options],
        cwd=ROOT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            lines = (line.strip() for line in server.stdout)
            yield next(line for line in lines if line), port
        finally:
            server.terminate()


@pytest.mark.slow
def test_the_server_says_so_and_does_so() -> None:
    with started() as (line, port):
        assert line.startswith(f"Only this machine can open it, at http://localhost:{port} ")
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        assert listened(port) == {"127.0.0.1"}


def _wait_for(url: str) -> None:
    for _ in range(200):
        with suppress(urllib.error.URLError), urllib.request.urlopen(url):
            return
        time.sleep(0.05)
    raise TimeoutError(url)


def listened(port: int) -> set[str]:
    """The addresses that somebody listens at on a port; Linux tells them in /proc."""
    try:
        rows = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        pytest.skip("no /proc")
    found = set()
    for row in rows:
        local, state = row.split()[1], row.split()[3]
        address, at = local.split(":")
        if int(at, 16) == port and state == "0A":
            found.add(socket.inet_ntoa(bytes.fromhex(address)[::-1]))
    return found
