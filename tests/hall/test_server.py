"""The whole server: what it says at its start, killed and started again, ended with followers."""

import os
import re
import signal
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.browser import driver
from tests.hall.halls import CHOICE, Client, open_at

pytestmark = pytest.mark.slow


def test_a_killed_server_goes_on_where_it_was(folder: Path) -> None:
    with driver.server(GLASSFORMER_HALL_FOLDER=str(folder)) as server:
        port = int(server.url.rpartition(":")[2])
        room = open_at(server.url)
        own = Client(f"{server.url}/hall/{room.code}", room.key)
        phones = [Client(own.url) for _ in range(3)]
        own.ask("/move", {"scene": CHOICE})
        for vote, phone in enumerate(phones):
            assert phone.ask().status == 200 and phone.vote(CHOICE, vote % 2).status == 200
        os.kill(server.pid, signal.SIGKILL)
        os.waitpid(server.pid, 0)
        with pytest.raises(urllib.error.URLError):
            phones[0].ask("/state")
    with driver.server(port, GLASSFORMER_HALL_FOLDER=str(folder)):
        state = own.ask("/state").json
        assert state["scene"] == CHOICE and state["votes"]["voted"] == 3
        assert phones[0].vote(CHOICE, 1).status == 200  # the cookie is known; the vote is changed
        own.ask("/reveal", {})
        bars = phones[1].ask("/state").json["result"]["bars"]
        assert [bar["count"] for bar in bars] == [1, 2, 0]
        assert sum(bar["truth"] for bar in bars) == 1


def test_a_server_that_is_told_to_end_does_not_wait_for_followers(folder: Path) -> None:
    with driver.server(GLASSFORMER_HALL_FOLDER=str(folder)) as server:
        room = open_at(server.url)
        with Client(f"{server.url}/hall/{room.code}").events() as events:
            next(events)
            os.kill(server.pid, signal.SIGTERM)
            assert [kind for kind, _ in events] == []  # the stream ends
            os.waitpid(server.pid, 0)  # it ends by itself


def test_who_listens_to_everybody_is_told_the_presenters_key(folder: Path) -> None:
    options = {"GLASSFORMER_HALL_FOLDER": str(folder), "STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}
    with driver.server(**options) as server:
        said = server.log()
        assert re.search(r"asked for this key: [A-Z2-9]{4}-[A-Z2-9]{4}", said), said
        assert said.index("Everybody in the network") < said.index("asked for this key")
        with urllib.request.urlopen(f"{server.url}/hall/") as page:
            assert page.status == 200
