"""The hall over HTTP: who comes in, what is followed, what is refused in one sentence."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit import config

from glassformer.app.hall import hub, keys, pages, rooms, routes, votes
from glassformer.app.hall.rooms import Room
from glassformer.core.errors import GlassformerError
from tests.hall.halls import CHOICE, NUMBER, WELCOME, WORD, Client, lecture, now, open_room, served

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def driver(url: str, room: Room) -> Client:
    return Client(f"{url}/hall/{room.code}", room.key)


@pytest.fixture
def phone(url: str, room: Room) -> Client:
    found = Client(f"{url}/hall/{room.code}")
    assert found.ask().status == 200 and found.cookie
    return found


def next_state(events: Iterator[tuple[str, Any]]) -> Any:
    return next(data for kind, data in events if kind == "")


def test_the_pages_are_light_and_ask_nobody_else(driver: Client, phone: Client, url: str) -> None:
    found = {"": phone.ask(), "/notes": driver.ask("/notes"), "enter": Client(url).ask("/hall/")}
    for name, answer in found.items():
        assert answer.status == 200 and len(answer.body) <= 40_000, name
        foreign = re.findall(rb"https?://[^\s\"'<]+", answer.body)
        assert not foreign, name
        policy = answer.headers.get_all("Content-Security-Policy")
        assert len(policy) == 1 and policy[0].startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe" not in policy[0] and "http" not in policy[0]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_wrong_code_is_told_in_the_readers_language(url: str) -> None:
    asked = Client(f"{url}/hall/ABCDEF", headers={"Accept-Language": "zh-CN,zh;q=0.9"})
    page = asked.ask()
    assert page.status == 404 and "ABCDEF" in page.body.decode()
    state = re.search(r'id="state">(.*?)</script>', page.body.decode())
    assert state and json.loads(state[1])["error"]["zh"].startswith("没有代码为")
    assert asked.ask("/state").said.startswith("There is no room with the code “ABCDEF”")


def test_a_code_is_data(url: str) -> None:
    page = Client(url).ask("/hall/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert page.status == 404 and b"<script>alert" not in page.body


def test_a_code_is_read_in_small_letters_and_typed_without_scripts(url: str, room: Room) -> None:
    assert Client(f"{url}/hall/{room.code.lower()}").ask().status == 200
    typed = Client(url).ask(f"/hall/?code=+{room.code.lower()[:3]}-{room.code.lower()[3:]}")
    assert (typed.status, typed.headers["Location"]) == (303, room.code)
    assert Client(url).ask("/hall").headers["Location"] == "hall/"


READ_BY_GET = ("/lecture", "/proposals", "/votes.csv")


@pytest.mark.parametrize("path", [
    "/move", "/black", "/reveal", "/handover", "/short", "/clock", "/play", "/drop", *READ_BY_GET,
])  # fmt: skip
def test_only_the_driver_drives(phone: Client, room: Room, path: str) -> None:
    data = None if path in READ_BY_GET else {"scene": 1}
    for key in ("", "0" * 32, room.code, "x" * 5000):
        found = Client(phone.url, key, phone.cookie).ask(path, data)
        assert found.status == 403 and "driver's key" in found.said
    assert Client(phone.url, "0" * 32).ask("/events").status == 403
    assert now(room) == Room(**{**room.__dict__, "key": ""})


def test_followers_hear_of_each_scene_and_the_driver_of_more(driver: Client, room: Room) -> None:
    with Client(driver.url).events() as events, driver.events() as own:
        first = next_state(events)
        assert first["scene"] == 0 and first["title"]["zh"] == "一句话变成译文"
        assert not {"notes", "votes", "next", "minutes"} & first.keys()
        told = next_state(own)
        assert told["notes"]["en"].startswith("Welcome") and told["minutes"] == [1, 3, 2, 2]
        moved = driver.ask("/move", {"scene": WORD})
        second = next_state(events)
        assert second["scene"] == WORD and second["revision"] > first["revision"]
        assert moved.json == {"revision": second["revision"]}  # until then the page waits
        assert "animal" in second["question"]["words"] and second["result"] is None


def test_votes_are_hidden_until_the_reveal_but_not_from_the_driver(
    driver: Client, phone: Client, room: Room
) -> None:
    driver.ask("/move", {"scene": CHOICE})
    with driver.events() as own, phone.events() as events:
        next_state(own), next_state(events)
        assert phone.vote(CHOICE, 0).status == 200 and phone.vote(CHOICE, 2).status == 200
        while not (told := next_state(own))["votes"]["voted"]:
            pass
        assert told["votes"]["voted"] == 1 and "answer" not in told["votes"]
        assert phone.ask("/state").json["result"] is None
        driver.ask("/reveal", {})
        shown = next_state(events)
    assert [bar["count"] for bar in shown["result"]["bars"]] == [0, 0, 1]
    assert [bar["truth"] for bar in shown["result"]["bars"]] == [False, False, True]
    assert shown["result"]["answer"]["text"]["en"] == "Very: above 50 %"
    assert phone.vote(CHOICE, 0).status == 409


def test_metrics_count_what_is_followed_and_voted_here(driver: Client, phone: Client) -> None:
    driver.ask("/move", {"scene": CHOICE})
    before = routes.HUB.votes
    with driver.events() as own, phone.events() as events:
        next_state(own), next_state(events)
        assert phone.vote(CHOICE, 0).status == 200 and phone.vote(CHOICE, 9).status == 400
        found = routes.HUB.usage()
    assert found == {"rooms": 1, "followers": 1, "drivers": 1, "votes": before + 1}


def test_votes_that_cannot_be(driver: Client, phone: Client) -> None:
    driver.ask("/move", {"scene": NUMBER})
    assert Client(phone.url).vote(NUMBER, 1).status == 403  # nobody that the room knows
    assert Client(phone.url, cookie=phone.cookie + "0").vote(NUMBER, 1).status == 403
    assert phone.vote(WORD, "animal").status == 409
    bodies = (
        b'{"scene": 2, "value": NaN}', b'{"scene": 2, "value": 1e999}', b"[]", b"{", b"",
        b'{"scene": "2", "value": 1}', b'{"scene": 2, "value": "<b>"}', b"\xff\xfe",
    )  # fmt: skip
    for body in bodies:
        found = phone.ask("/vote", body)
        assert found.status in (400, 409) and found.said, body
    found = phone.vote(NUMBER, "9" * 1_000_000)
    assert found.status == 413 and "kB" in found.said
    assert phone.vote(NUMBER, "１,０４２,5").status == 400
    assert phone.vote(NUMBER, "1,042.5").json == {"value": 1042.5}
    assert phone.vote(NUMBER, 42.5).json == {"value": 42.5}
    assert votes.count_votes(now_of(phone), NUMBER) == {42.5: 1}


def now_of(client: Client) -> Room:
    found = rooms.find_room(client.url.rpartition("/")[2])
    assert found is not None
    return found


@pytest.mark.parametrize("data", [{}, {"scene": "1"}, {"scene": True}, {"scene": None}, [1]])
def test_a_move_to_no_scene(driver: Client, data: Any) -> None:
    assert driver.ask("/move", data).status == 404


def test_a_clicker_that_repeats_ends_at_the_last_and_floods_nobody(driver: Client) -> None:
    with driver.events() as own:
        next_state(own)
        for scene in [1, 2, 3, 2, 1, 0] * 5 + [2]:
            driver.ask("/move", {"scene": scene})
        seen = []
        while not seen or seen[-1]["revision"] < now_of(driver).revision:
            seen.append(next_state(own))
    revisions = [each["revision"] for each in seen]
    assert seen[-1]["scene"] == 2 and revisions == sorted(revisions) and len(seen) < 31


def test_long_polls_where_streams_are_held_back(driver: Client, phone: Client) -> None:
    first = phone.ask("/state").json
    driver.ask("/move", {"scene": NUMBER})
    newer = phone.ask(f"/state?since={first['revision']}").json
    assert newer["scene"] == NUMBER and newer["revision"] > first["revision"]
    for since in ("x", "-1", "9" * 40):
        assert phone.ask(f"/state?since={since}").json["scene"] == NUMBER


def test_a_poll_with_nothing_new_ends(monkeypatch: pytest.MonkeyPatch, phone: Client) -> None:
    monkeypatch.setattr(routes, "PATIENCE", 0.1)
    first = phone.ask("/state").json
    assert phone.ask(f"/state?since={first['revision']}").json == first


def test_a_stream_beats_and_asks_no_proxy_to_wait(
    monkeypatch: pytest.MonkeyPatch, phone: Client
) -> None:
    monkeypatch.setattr(hub, "BEAT", 0.05)
    with phone.events() as events:
        assert [kind for kind, _ in (next(events), next(events), next(events))] == [
            "",
            "beat",
            "beat",
        ]


def test_streams_are_said_not_to_be_buffered(phone: Client) -> None:
    from tests.hall.halls import OPENER

    with OPENER.open(phone.url + "/events") as stream:
        assert stream.headers["X-Accel-Buffering"] == "no"
        assert stream.headers["Content-Type"].startswith("text/event-stream")


def test_a_hall_that_is_full_says_so(monkeypatch: pytest.MonkeyPatch, phone: Client) -> None:
    monkeypatch.setattr(hub, "MOST_FOLLOWERS", 1)
    with phone.events() as events:
        next_state(events)
        refused = phone.ask("/events")
        assert refused.status == 503 and "More people" in refused.said
        monkeypatch.setattr(routes, "PAUSE", 0)
        state = phone.ask("/state").json  # what is on screen it is told nevertheless
        assert phone.ask(f"/state?since={state['revision']}").json == state
    while phone.ask("/events", method="HEAD").status == 503:
        time.sleep(0.02)  # the place is free once the server has heard that it left


def test_the_old_driver_is_told_and_only_follows(driver: Client) -> None:
    with driver.events() as own:
        next_state(own)
        found = driver.ask("/handover", {}).json
        assert next(kind for kind, _ in own if kind) == "handed"
    assert found["link"].endswith(f"/notes#{found['key']}") and found["qr"].startswith("data:image")
    assert driver.ask("/move", {"scene": 1}).status == 403
    assert Client(driver.url, found["key"]).ask("/move", {"scene": 1}).status == 200


def test_followers_are_told_when_a_room_has_ended(
    monkeypatch: pytest.MonkeyPatch, phone: Client, room: Room
) -> None:
    with phone.events() as events:
        next_state(events)
        late = rooms.clock_time() + rooms.AWAY + 1
        monkeypatch.setattr(rooms, "clock_time", lambda: late)
        for code in rooms.purge_rooms():
            routes.HUB.tell(code)
        assert next(events)[0] == "ended"
    assert phone.ask().status == 404


def test_a_connected_driver_is_there(monkeypatch: pytest.MonkeyPatch, driver: Client) -> None:
    with driver.events() as own:
        next_state(own)
        assert routes.HUB.driven() == [now_of(driver).code]
    while routes.HUB.driven():
        time.sleep(0.02)


def test_pictures_come_from_the_driver_alone(driver: Client, phone: Client) -> None:
    assert phone.ask("/picture/1").status == 404
    assert Client(phone.url, cookie=phone.cookie).ask("/picture/1", PNG, "PUT").status == 403
    version = driver.ask("/picture/1", PNG, "PUT").json["version"]
    found = phone.ask(f"/picture/1?v={version}")
    assert found.body == PNG and found.headers["Content-Type"] == "image/png"
    assert "default-src 'none'" in found.headers["Content-Security-Policy"]
    large = driver.ask("/picture/1", PNG + bytes(300_000), "PUT")
    assert large.status == 413 and "kB" in large.said
    assert driver.ask("/picture/1", b"<svg onload=alert(1)>", "PUT").status == 400
    assert driver.ask("/picture/99", PNG, "PUT").status == 400
    driver.ask("/move", {"scene": 1})
    assert phone.ask("/state").json["picture"] == version


def test_the_scene_can_be_opened_until_too_many_do(
    monkeypatch: pytest.MonkeyPatch, driver: Client, phone: Client
) -> None:
    driver.ask("/move", {"scene": WORD})
    found = phone.ask("/open?language=zh")
    place = "../../attention?layer=2&head=1&query=8&language=zh"
    assert (found.status, found.headers["Location"]) == (303, place)
    assert phone.ask("/open?language=<b>").headers["Location"].endswith("language=en")
    monkeypatch.setattr(routes, "MOST_EXPLORING", 0)
    refused = phone.ask("/open")
    assert refused.status == 503 and b"explore already" in refused.body


def test_where_the_audience_finds_it(monkeypatch: pytest.MonkeyPatch, driver: Client) -> None:
    def said(**headers: str) -> str:
        asked = {name.replace("_", "-"): value for name, value in headers.items()}
        picture = Client(driver.url, headers=asked).ask("/qr.svg").body.decode()
        return re.search("<title>(.*?)</title>", picture)[1]  # type: ignore[index]

    code = now_of(driver).code
    assert said(Host="localhost:8501") == f"http://localhost:8501/hall/{code}"
    proxied = {"X_Forwarded_Host": "talk.example", "X_Forwarded_Proto": "https"}
    assert said(**proxied) == f"https://talk.example/hall/{code}"
    assert said(**proxied, X_Forwarded_Prefix="/a") == f"https://talk.example/a/hall/{code}"
    for wrong in ("x" * 6000, "a b", "<b>", "user@talk.example", "talk.example/a", "[1"):
        assert said(Host="localhost:1", X_Forwarded_Host=wrong).startswith("http://localhost:1/")
        assert said(**proxied, X_Forwarded_Prefix=f"/{wrong}/../").endswith(f"example/hall/{code}")
    config.set_option("server.address", "0.0.0.0")
    try:
        found = said(Host="localhost:8501")
        assert "localhost" not in found and found.endswith(f"/hall/{code}")
        assert said(Host="192.0.2.7:8501") == f"http://192.0.2.7:8501/hall/{code}"
    finally:
        config.set_option("server.address", "127.0.0.1")


def test_a_server_below_a_path(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    config.set_option("server.baseUrlPath", "/glass/")
    try:
        with served() as url:
            phone = Client(f"{url}/glass/hall/{room.code}")
            assert phone.ask().status == 200 and phone.ask("/state").json["scene"] == 0
            assert Client(url).ask(f"/hall/{room.code}").status == 404
    finally:
        config.set_option("server.baseUrlPath", "")


def test_the_hall_can_be_off(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    monkeypatch.setenv("GLASSFORMER_HALL", "off")
    with served() as url:
        for path in ("/hall", "/hall/", f"/hall/{room.code}", f"/hall/{room.code}/events"):
            found = Client(url).ask(path)
            assert found.status == 404 and b"HALL=off" in found.body
    with pytest.raises(GlassformerError, match="HALL=off"):
        rooms.open_room(lecture(), "en")
    assert "no audience" in keys.startup_line()


def test_the_presenters_key_is_asked_for_where_others_come_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not keys.is_asked() and keys.startup_line() == ""
    monkeypatch.setenv("GLASSFORMER_HALL", "key")
    key = keys.presenter_key()
    assert re.fullmatch("[A-Z2-9]{4}-[A-Z2-9]{4}", key) and key in keys.startup_line()
    for wrong in ("", "AAAA-AAAA", key[:-1], "ключ"):
        with pytest.raises(GlassformerError, match="presenter's key"):
            rooms.open_room(lecture(), "en", wrong)
    assert rooms.open_room(lecture(), "en", f" {key.lower().replace('-', '')} ").key
    monkeypatch.setenv("GLASSFORMER_HALL", "on")
    config.set_option("server.address", "0.0.0.0")
    try:
        assert keys.is_asked()
    finally:
        config.set_option("server.address", "127.0.0.1")


def test_what_a_page_says_cannot_end_its_element(monkeypatch: pytest.MonkeyPatch) -> None:
    found = pages.page_response("audience", {"title": "</script><script>alert(1)</script>"})
    assert b"</script><script>alert" not in found.body
    with pytest.raises(GlassformerError, match="no page"):
        pages.page_response("nothing", None)


def test_a_room_in_chinese(url: str) -> None:
    room = open_room("zh")
    told = Client(f"{url}/hall/{room.code}", room.key).ask("/lecture").json
    assert told["language"] == "zh" and len(told["scenes"]) == 4
    assert told["scenes"][WELCOME]["links"]["en"] == ["", {}]
