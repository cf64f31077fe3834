"""A front before a balancer: when it is ready; what a browser asks that comes back to one."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from starlette.requests import Request
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.util import calc_hash
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from glassformer import __version__
from glassformer.app.server.fronts import BOOT, Front
from glassformer.app.server.reconnects import OTHER_VERSION, screen_request
from glassformer.core.errors import GlassformerError
from tests.browser import driver
from tests.cluster.clusters import boot_of

REQUEST = Request({"type": "http"})


def asked(*fronts: Front) -> list[tuple[int, Any]]:
    """What `/ready` of each says, one after the other."""

    async def ask() -> list[tuple[int, Any]]:
        answers = [await front._answer(REQUEST) for front in fronts]
        return [(each.status_code, json.loads(each.body)) for each in answers]

    # In a thread of its own: a browser's tests leave a loop that runs in this one.
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(lambda: asyncio.run(ask())).result()


def test_a_front_is_ready_once_the_model_is_there() -> None:
    front = Front(lambda: None)
    assert asked(front) == [(503, {"boot": BOOT, "lacks": "the model: it is being loaded"})]
    front.loaded.set()
    assert asked(front) == [(200, {"boot": BOOT})]
    assert BOOT.startswith(f"{__version__}-")


def test_a_front_without_its_store_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise GlassformerError("store_away")

    monkeypatch.setattr("glassformer.app.server.fronts.STORE", 0.05)
    held = threading.Event()
    silent = Front(lambda: held.wait(5))
    gone = Front(away)
    for front in (silent, gone):
        front.loaded.set()
    answers: list[tuple[int, Any]] = []
    asking = threading.Thread(target=lambda: answers.extend(asked(gone, silent)))
    asking.start()
    time.sleep(0.5)
    held.set()
    asking.join()
    assert answers == [(503, {"boot": BOOT, "lacks": "the store: it is away"})] * 2


def test_a_screen_is_asked_for_as_a_link_is_opened() -> None:
    last = BackMsg()
    asked = last.rerun_script
    asked.page_script_hash, asked.fragment_id, asked.query_string = "1f", "2f", "old=1"
    asked.widget_states.widgets.add(id="button", trigger_value=True)
    asked.cached_message_hashes.append("seen")
    asked.context_info.locale = "de-DE"
    sent = BackMsg.FromString(
        screen_request({"page": "vectors", "query": "layer=1"}, last.SerializeToString())
    )
    expected = BackMsg()
    expected.rerun_script.page_name, expected.rerun_script.query_string = "vectors", "layer=1"
    expected.rerun_script.page_script_hash = calc_hash("vectors")
    expected.rerun_script.context_info.locale = "de-DE"
    assert sent == expected


@pytest.mark.parametrize("screen", [[], {}, {"page": 1, "query": ""}, None])
def test_what_is_no_screen_is_refused(screen: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        screen_request(screen, BackMsg().SerializeToString())
    with pytest.raises((ValueError, TypeError, KeyError)):
        screen_request({"page": "", "query": ""}, b"\xff")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[driver.Server]:
    folder = str(tmp_path_factory.mktemp("rooms"))
    with driver.server(GLASSFORMER_HALL_FOLDER=folder) as running:
        boot_of(running.url)
        yield running


def line(server: driver.Server, boot: str, *session: str) -> ClientConnection:
    named = [Subprotocol(each) for each in ("streamlit", "token", *session)]
    url = f"{server.url.replace('http', 'ws')}/_stcore/stream?boot={boot}"
    return connect(url, subprotocols=named, proxy=None, max_size=None)


def answer_of(line: ClientConnection) -> tuple[list[Any], list[str], str]:
    """What it says in text, the page that the run begins on and ends on, and the session."""
    texts, hashes, session = [], [""], ""
    while True:
        told = line.recv(timeout=60)
        if isinstance(told, str):
            texts.append(json.loads(told))
            continue
        message = ForwardMsg.FromString(told)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            session = message.new_session.initialize.session_id
            hashes = [message.new_session.page_script_hash]
        elif kind == "navigation":
            hashes.append(message.navigation.page_script_hash)
            names = {
                each.page_script_hash: each.url_pathname for each in message.navigation.app_pages
            }
        elif kind == "script_finished":
            return texts, [names.get(each, "") for each in hashes], session


@pytest.mark.slow
def test_a_browser_that_comes_back_is_shown_its_screen(server: driver.Server) -> None:
    boot = boot_of(server.url)
    last = BackMsg()
    last.rerun_script.widget_states.widgets.add(id="nobody", trigger_value=True)
    with line(server, boot) as first:
        first.send(json.dumps({"page": "vectors", "query": "layer=1&theme=dark"}))
        first.send(last.SerializeToString())
        texts, pages, session = answer_of(first)
        assert pages == ["vectors"] * 2 and texts == [{"boot": boot}, {"session": [session]}]
    with line(server, boot, session) as again:
        again.send(json.dumps({"page": "", "query": ""}))
        again.send(last.SerializeToString())
        assert answer_of(again)[1:] == (["", ""], session)


@pytest.mark.slow
def test_a_page_of_another_version_is_told_to_load_anew(server: driver.Server) -> None:
    with line(server, "0.0.1-12345678") as other, pytest.raises(ConnectionClosed) as closed:
        other.recv(timeout=20)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == OTHER_VERSION


@pytest.mark.slow
@pytest.mark.parametrize("said", ["no JSON", "{}", "[1]", '{"page": 5, "query": ""}', "x" * 2**17])
def test_what_says_no_screen_goes_again(server: driver.Server, said: str) -> None:
    with line(server, boot_of(server.url)) as other:
        other.send(said)
        other.send(BackMsg().SerializeToString())
        while other.close_code is None:
            with suppress(ConnectionClosed):
                other.recv(timeout=20)
    assert other.close_code == 1008
    assert "Traceback" not in server.log()
