"""A Postgres for tests: initialised in a folder of its own, on a free port, gone after."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

CLUSTER = "GLASSFORMER_TEST_CLUSTER"  # set by `make test-cluster`: what is not there is a failure
SETTINGS = {"fsync": "off", "listen_addresses": "127.0.0.1", "max_connections": "60"}


def find_postgres() -> Path | None:
    """The folder of its programs; None where there are none."""
    if (found := shutil.which("initdb")) and (Path(found).resolve().parent / "postgres").exists():
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@dataclass
class Postgres:
    """A server that can be stopped, killed and started again on the same port."""

    programs: Path
    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    user: dict[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"postgresql://glass@127.0.0.1:{self.port}/postgres"

    def run(self) -> None:
        """Start it, and wait until it answers."""
        given = [each for name, value in SETTINGS.items() for each in ("-c", f"{name}={value}")]
        command = [self.programs / "postgres", "-D", self.folder, "-p", str(self.port), "-k", ""]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *given], stdout=log, stderr=log, start_new_session=True, **self.user
            )
        for _ in range(300):
            try:
                psycopg.connect(self.address, connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text())

    def empty(self) -> None:
        """As it was at first."""
        with psycopg.connect(self.address, autocommit=True) as db:
            db.execute("drop schema public cascade; create schema public")

    def send_away(self) -> None:
        """Everybody who is connected."""
        with psycopg.connect(self.address, autocommit=True) as db:
            others = "select pid from pg_stat_activity where usename = user and pid <> %s"
            for (pid,) in db.execute(others, (db.info.backend_pid,)).fetchall():
                db.execute("select pg_terminate_backend(%s, 5000)", (pid,))

    def stop(self) -> None:
        """As at the end of a machine: whoever is connected is sent away."""
        if self.process is not None:
            self.process.terminate() if self.process.poll() is None else None
            subprocess.run(
                [self.programs / "pg_ctl", "-D", self.folder, "-m", "fast", "stop"],
                capture_output=True, check=False, cwd="/", **self.user,
            )  # fmt: skip
            self.process.wait(30)
            self.process = None


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A new one; where it is not installed the test is skipped, in `make test-cluster` it fails."""
    if (programs := find_postgres()) is None:
        if os.environ.get(CLUSTER):
            pytest.fail("make test-cluster installs Postgres, and there is none")
        pytest.skip("no Postgres: make test-cluster installs it")
    folder, user = Path(tempfile.mkdtemp(prefix="glassformer-postgres-")), dict[str, Any]()
    if os.getuid() == 0:  # it refuses to run as root
        other = pwd.getpwnam("nobody")
        os.chown(folder, other.pw_uid, other.pw_gid)
        user = {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    subprocess.run(
        [programs / "initdb", "-D", folder, "-U", "glass", "-A", "trust", "-E", "UTF8",
         "--locale=C", "--no-sync"], check=True, capture_output=True, cwd="/", **user,
    )  # fmt: skip
    held = Postgres(programs, folder, port, user=user)
    try:
        held.run()
        yield held
    finally:
        held.stop()
        shutil.rmtree(folder, ignore_errors=True)
