"""Several fronts on this machine, the balancer of deploy/ before them, one store behind them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

import pytest

from tests.architecture.sources import ROOT
from tests.browser import driver

PATIENCE = 60.0  # seconds
TEMPLATE = re.compile(r"( *)server-template .*\n")


@dataclass
class Fronts:
    """Servers on ports of their own that share a store; each can be killed and started again."""

    settings: dict[str, str]
    ports: list[int] = field(default_factory=list)
    running: dict[int, tuple[ExitStack, driver.Server]] = field(default_factory=dict)

    def start(self, at: int) -> driver.Server:
        """Start the one at a place, and wait until it is ready."""
        stack = ExitStack()
        server = stack.enter_context(driver.server(self.ports[at], **self.settings))
        self.running[at] = stack, server
        boot_of(server.url)
        return server

    def kill(self, at: int, how: int = signal.SIGKILL) -> None:
        """End the one at a place by a signal, and wait until it has gone."""
        stack, server = self.running.pop(at)
        os.kill(server.pid, how)
        stack.close()

    def at(self, boot: str) -> int:
        """The place of the one of that name."""
        return next(at for at, (_, each) in self.running.items() if boot_of(each.url) == boot)

    def logs(self) -> str:
        return "\n".join(server.log() for _, server in self.running.values())


@contextmanager
def fronts(count: int, **settings: str) -> Iterator[Fronts]:
    """So many of them, ready; what runs in the end is ended."""
    found = Fronts(settings, [driver._free_port() for _ in range(count)])
    try:
        for at in range(count):
            found.start(at)
        yield found
    finally:
        for stack, _ in found.running.values():
            stack.close()


def boot_of(url: str) -> str:
    """The name of the front at a URL, once it is ready."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(urllib.error.URLError), urllib.request.urlopen(f"{url}/ready") as answer:
            return str(json.load(answer)["boot"])
        time.sleep(0.1)
    raise TimeoutError(f"{url} is not ready")


@contextmanager
def balanced(given: Fronts) -> Iterator[str]:
    """The URL of the balancer before them, set up as deploy/haproxy.cfg says."""
    if shutil.which("haproxy") is None:
        pytest.skip("HAProxy is not installed; `make test-cluster` does it, as root on Debian")
    port = driver._free_port()
    lines = "".join(f"    server front{port} 127.0.0.1:{port}\n" for port in given.ports)
    recipe = (ROOT / "deploy/haproxy.cfg").read_text("utf-8")
    recipe = TEMPLATE.sub(lines, recipe).replace("bind :8080", f"bind 127.0.0.1:{port}")
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(recipe)
        file.flush()
        with subprocess.Popen(["haproxy", "-db", "-f", file.name]) as running:
            try:
                boot_of(f"http://localhost:{port}")
                yield f"http://localhost:{port}"
            finally:
                running.terminate()
