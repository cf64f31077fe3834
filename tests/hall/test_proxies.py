"""The recipes of docs/proxy.md as they stand there, with ports and files of the test's own."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import connect

from glassformer.app.hall import keys
from glassformer.app.hall.rooms import Room
from tests.architecture.sources import ROOT
from tests.browser import driver
from tests.hall import halls
from tests.hall.halls import WORD

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("proxy", ["nginx", "haproxy"])]
NAME = "talk.example"
OWN = "user root;\n" * (getattr(os, "getuid", lambda: 1)() == 0)
WHOLE = {  # what stands around a recipe
    "nginx": OWN
    + """daemon off; pid nginx.pid; error_log error.log; events {{}}
http {{ access_log off; client_body_temp_path body; proxy_temp_path proxied; fastcgi_temp_path f;
uwsgi_temp_path u; scgi_temp_path s;
{recipe} }}
""",
    "haproxy": "defaults\n    timeout client 1h\n{recipe}\n",
}
START: dict[str, Callable[[str], list[str]]] = {
    "nginx": lambda path: ["nginx", "-p", str(Path(path).parent), "-c", path],
    "haproxy": lambda path: ["haproxy", "-db", "-f", path],
}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate that nobody trusts, its key, and both in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate; `make proxies` installs it")
    folder = tmp_path_factory.mktemp("ssl")
    pem, key = (folder / f"{NAME}.{end}" for end in ("pem", "key"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         f"/CN={NAME}", "-keyout", str(key), "-out", str(pem)], check=True, capture_output=True,
    )  # fmt: skip
    (folder / f"{NAME}.both.pem").write_bytes(pem.read_bytes() + key.read_bytes())
    return folder


@contextmanager
def proxied(proxy: str, url: str, certificate: Path, folder: Path) -> Iterator[int]:
    """The port at which the proxy has the server at a URL."""
    if shutil.which(proxy) is None:
        pytest.skip(f"{proxy} is not installed; `make proxies` does it, as root on Debian")
    text = (ROOT / "docs/proxy.md").read_text("utf-8")
    (recipe,) = re.findall(rf"```{proxy}\n(.*?)```", text, re.DOTALL)
    port = driver._free_port()
    for there, here in (
        ("listen 443", f"listen 127.0.0.1:{port}"), ("bind :443", f"bind 127.0.0.1:{port}"),
        ("127.0.0.1:8501", urlsplit(url).netloc.replace("localhost", "127.0.0.1")),
        ("/etc/ssl", str(certificate)),
    ):  # fmt: skip
        recipe = recipe.replace(there, here)
    path = folder / f"{proxy}.conf"
    path.write_text(WHOLE[proxy].format(recipe=recipe), encoding="utf-8")
    with subprocess.Popen(START[proxy](str(path)), stderr=subprocess.PIPE) as running:
        try:
            for _ in range(200):
                with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                assert running.poll() is None, running.stderr and running.stderr.read()
                time.sleep(0.05)
            yield port
        finally:
            running.terminate()


def trusting() -> ssl.SSLContext:
    found = ssl.create_default_context()
    found.check_hostname, found.verify_mode = False, ssl.CERT_NONE
    return found


@contextmanager
def asked(
    port: int, path: str, of: str = "127.0.0.1", **headers: str
) -> Iterator[http.client.HTTPResponse]:
    """An answer by way of the proxy, which a client of that address asks for."""
    line = http.client.HTTPSConnection(
        "127.0.0.1", port, timeout=20, context=trusting(), source_address=(of, 0)
    )
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(line):
        line.request("GET", path, headers={"Host": NAME, **given})
        with line.getresponse() as answer:
            yield answer


def test_codes_streams_and_the_picture(
    proxy: str, certificate: Path, room: Room, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GLASSFORMER_HOSTS", NAME)
    place = f"/hall/{room.code}"
    with halls.served() as url, proxied(proxy, url, certificate, tmp_path) as port:
        with asked(port, f"{place}/qr.svg") as picture:
            assert f"<title>https://{NAME}{place}</title>" in picture.read().decode()
        with asked(port, f"{place}/events") as stream:
            told = (each[6:] for each in iter(stream.readline, b"") if each.startswith(b"data: "))
            assert json.loads(next(told))["scene"] == 0
            halls.rooms.move_to_scene(room, WORD)
            assert json.loads(next(told))["scene"] == WORD
        if sys.platform != "linux":
            return  # there all of 127.0.0.0/8 is this machine, and two clients can be told apart
        keys.CODES.clear()
        for client in ("127.0.0.2", "127.0.0.3"):
            with asked(port, "/hall/AAAAAA", client, X_Forwarded_For="198.51.100.1") as wrong:
                assert wrong.status == 404
        assert set(keys.CODES._wrong) == {"127.0.0.2", "127.0.0.3", keys.ALL}


def test_the_web_socket(proxy: str, certificate: Path, folder: Path, tmp_path: Path) -> None:
    settings = {"GLASSFORMER_HALL_FOLDER": str(folder), "GLASSFORMER_HOSTS": NAME}
    with (
        driver.server(**settings) as server,
        proxied(proxy, server.url, certificate, tmp_path) as port,
    ):
        with asked(port, "/", Accept="text/html") as page:
            assert page.status == 200 and page.headers["Set-Cookie"].endswith("Secure")
        with asked(port, "/", Host="evil.example") as refused:
            assert refused.status == 421
        line = socket.create_connection(("127.0.0.1", port))
        with connect(
            f"wss://{NAME}/_stcore/stream", sock=line, ssl=trusting(), origin=f"https://{NAME}",
            subprotocols=["streamlit"],
        ) as web_socket:  # fmt: skip
            assert web_socket.subprotocol == "streamlit"
