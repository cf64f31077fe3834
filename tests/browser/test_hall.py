"""The hall on screens: a presenter's notes and three phones in step; votes by touch and by key."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from glassformer.app.hall.rooms import Room
from tests.browser import driver
from tests.browser.test_everybody import found
from tests.hall.halls import CHOICE, NUMBER, WORD, Client, open_at

PHONE = {"width": 390, "height": 844}
# Keys that are pressed before anything else happens.
TOGETHER = """(keys) => [...keys].forEach((key) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))"""


@pytest.fixture
def room(app_url: str) -> Room:
    return open_at(app_url)


@pytest.fixture
def own(app_url: str, room: Room) -> Client:
    """The driver without a screen."""
    return Client(f"{app_url}/hall/{room.code}", room.key)


@pytest.fixture
def screen(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`screen(url, locale="en-GB", theme="light", **window)`: one with a browser of its own."""
    opened: list[BrowserContext] = []
    wrong: list[str] = []

    def open_one(url: str, locale: str = "en-GB", theme: str = "light", **window: object) -> Page:
        size = {"viewport": PHONE, "has_touch": True, **window}
        context = browser.new_context(locale=locale, color_scheme=theme, **size)  # type: ignore[arg-type]
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if "Policy" in said.text else None)
        page.goto(url)
        return page

    yield open_one
    for context in opened:
        context.close()
    assert not wrong


def test_notes_and_three_phones_in_step(
    app_url: str, room: Room, own: Client, screen: Callable[..., Page]
) -> None:
    notes = screen(f"{own.url}/notes#{room.key}")
    phones = [screen(own.url), screen(own.url, "zh-CN", "dark"), screen(own.url)]
    expect(notes.locator("#title")).to_have_text("A sentence becomes a translation")
    titles = ["What does “it” look at?", "“it”看向哪个词？", "What does “it” look at?"]
    notes.tap("#forward")
    for phone, title in zip(phones, titles, strict=True):
        expect(phone.locator("#title")).to_have_text(title)
    expect(notes.locator("#notes")).to_contain_text("The weight is animal.")
    expect(notes.locator("#next")).to_have_text("Next: How much?")
    phones[0].tap('button[data-value="animal"]')
    phones[1].tap('button[data-value="street"]')
    phones[1].tap('button[data-value="animal"]')  # changed
    phones[2].tap('button[data-value="street"]')
    expect(phones[1].locator('[aria-pressed="true"]')).to_have_text("animal")
    expect(notes.locator("#votes")).to_contain_text("3 of 3 have voted")
    expect(phones[0].locator(".bars")).to_have_count(0)
    notes.tap("#reveal")
    for phone in phones:
        expect(phone.locator(".bars li")).to_have_count(2)
        expect(phone.locator(".bars .truth")).to_contain_text(re.compile("animal.*✓.*2 · 67 %"))
    expect(phones[2].locator("#question")).to_contain_text("Your answer: street.")
    expect(phones[0].locator(".truth .own")).to_have_text("● yours")


def test_keys_drive_and_repeat(room: Room, own: Client, screen: Callable[..., Page]) -> None:
    notes = screen(f"{own.url}/notes#{room.key}", viewport={"width": 1280, "height": 720})
    phone = screen(own.url)
    expect(notes.locator("#place")).to_have_text("1 of 4")
    for _ in range(20):
        notes.keyboard.press("ArrowRight")
    expect(phone.locator("#place")).to_have_text("4 of 4")
    expect(notes.locator("#forward")).to_be_disabled()
    notes.keyboard.press("PageUp")
    expect(phone.locator("#title")).to_have_text("How much?")
    notes.keyboard.press("b")
    expect(phone.locator("#black")).to_be_visible()
    expect(phone.locator("#title")).to_be_hidden()
    notes.keyboard.press(".")
    expect(phone.locator("#title")).to_be_visible()
    expect(notes.locator("#reveal")).to_be_enabled()
    notes.keyboard.press("v")
    expect(phone.locator("#question")).to_contain_text("What the model computed: 98.2%")
    notes.keyboard.press("Home")
    expect(phone.locator("#place")).to_have_text("1 of 4")
    expect(notes.locator("#used")).to_contain_text("used · 8:00 planned")
    # A key goes on from the one before it, though the room has not said yet what came of that.
    with notes.expect_response(
        lambda answer: "/black" in answer.url and not answer.request.post_data_json["black"]
    ):
        notes.evaluate(TOGETHER, "b.")
    for _ in range(3):
        with notes.expect_response("**/move"):
            notes.keyboard.press("ArrowRight")
    expect(phone.locator("#place")).to_have_text("4 of 4")


def test_a_question_is_answered_by_keyboard(own: Client, screen: Callable[..., Page]) -> None:
    own.ask("/move", {"scene": NUMBER})
    page = screen(own.url, viewport={"width": 1280, "height": 720})
    expect(page.locator("#question input")).to_be_visible()
    page.keyboard.press("Tab")  # the language
    page.keyboard.press("Tab")
    page.keyboard.type("a lot")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("That is no number")
    page.locator("#question input").fill("1,000")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("Your answer: 1000%.")
    page.locator("#question input").fill("97,5 %")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("Your answer: 97.5%.")
    own.ask("/move", {"scene": CHOICE})
    page.locator("#question button[data-value]").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator('[aria-pressed="true"]')).to_have_text("Rather: 10 to 50 %")
    page.reload()
    expect(page.locator('[aria-pressed="true"]')).to_have_text("Rather: 10 to 50 %")
    page.click("#language")
    expect(page.locator("#said")).to_have_text(
        "你的回答：比较确定：10% 到 50%。 公布答案之前可以修改。"
    )
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"


def test_a_phone_that_was_asleep_shows_the_newest(own: Client, screen: Callable[..., Page]) -> None:
    phone = screen(own.url)
    expect(phone.locator("#place")).to_have_text("1 of 4")
    phone.context.set_offline(True)
    phone.evaluate("dispatchEvent(new Event('online'))")  # it tries, and there is nobody
    expect(phone.locator("#behind")).to_be_visible()
    for scene in (WORD, NUMBER, CHOICE):
        own.ask("/move", {"scene": scene})
    phone.context.set_offline(False)
    expect(phone.locator("#place")).to_have_text("4 of 4")
    expect(phone.locator("#behind")).to_be_hidden()


def test_a_question_lives_on_and_the_hall_sends(
    room: Room, own: Client, screen: Callable[..., Page]
) -> None:
    own.ask("/move", {"scene": CHOICE})
    notes, phone = screen(f"{own.url}/notes#{room.key}"), screen(own.url)
    phone.tap('button[data-value="1"]')
    expect(phone.locator("#said")).to_contain_text("Your answer: Rather")
    own.ask("/move", {"scene": 0})
    expect(phone.locator("#title")).to_have_text("A sentence becomes a translation")
    expect(phone.locator("#question")).to_contain_text("Asked in “Large or small?”")
    phone.tap('button[data-value="2"]')
    expect(phone.locator("#said")).to_contain_text("Your answer: Very")
    expect(notes.locator("#votes")).to_contain_text("Open: votes are taken · Asked in “Large")
    for scene in (0, 1):
        own.ask(f"/picture/{scene}", picture(), "PUT")
        expect(notes.locator("#pictures img")).to_have_count(scene + 1)

    phone.locator("#sends summary").first.tap()
    phone.fill("#sends input", "<b>قطة</b>\u202e")
    phone.locator("#sends button").first.tap()
    said = phone.locator("#sends [role=status]").first
    expect(said).to_have_text("Sent to the presenter: <b>قطة</b>")
    phone.locator("#sends button").first.tap()  # the field is empty
    expect(said).to_contain_text("Nothing can be read in that")
    expect(notes.locator("#sentences bdi")).to_have_text("<b>قطة</b>")
    expect(phone.locator("#played")).to_be_hidden()
    notes.get_by_role("button", name="Show in front").tap()
    expect(phone.locator("#played")).to_have_text("From the hall, in front now: <b>قطة</b>")

    notes.tap("#reveal")
    expect(phone.locator("#question .truth .own")).to_have_text("● yours")
    expect(notes.locator("#votes")).to_contain_text("Answer shown · Asked in")
    with notes.expect_download() as file:
        notes.tap("#save")
    assert "Very: above 50 %,1,Very: above 50 %" in file.value.path().read_text("utf-8")


def test_phones_come_back_to_a_server_that_was_killed(screen: Callable[..., Page]) -> None:
    with driver.server() as server:
        room = open_at(server.url)
        own = Client(f"{server.url}/hall/{room.code}", room.key)
        own.ask("/move", {"scene": CHOICE})
        phone, notes = screen(own.url), screen(f"{own.url}/notes#{room.key}")
        phone.tap('button[data-value="2"]')
        expect(notes.locator("#votes")).to_contain_text("1 of 1 have voted")
        os.kill(server.pid, signal.SIGKILL)
        os.waitpid(server.pid, 0)
    expect(phone.locator("#behind")).to_be_visible()
    notes.tap("#back")
    expect(notes.locator("#behind")).to_contain_text("again")
    with driver.server(int(server.url.rpartition(":")[2])):
        expect(phone.locator("#behind")).to_be_hidden()
        expect(notes.locator("#votes")).not_to_contain_text("1 of")  # the move is made now
        own.ask("/move", {"scene": CHOICE})
        expect(notes.locator("#votes")).to_contain_text("1 of 1 have voted", timeout=30_000)
        notes.tap("#reveal")
        expect(phone.locator(".truth .own")).to_have_text("● yours")


def test_a_vote_that_meets_no_server_is_sent_again(
    own: Client, screen: Callable[..., Page]
) -> None:
    own.ask("/move", {"scene": CHOICE})
    phone = screen(own.url)
    met = iter(("abort", "502"))

    def break_twice(route: Route) -> None:
        how = next(met, "")
        if how == "abort":
            route.abort()
        elif how:
            route.fulfill(status=502, body="<h1>Bad gateway</h1>")
        else:
            route.continue_()

    phone.route("**/vote", break_twice)
    phone.tap('button[data-value="2"]')
    expect(phone.locator('[aria-pressed="true"]')).to_have_attribute("data-value", "2")
    assert own.ask("/state").json["votes"]["voted"] == 1


def test_where_a_proxy_holds_back_streams_the_page_polls(
    own: Client, screen: Callable[..., Page]
) -> None:
    phone = screen(f"{own.url}")
    phone.route("**/events", lambda _: None)  # never answered
    phone.reload()
    with phone.expect_response("**/state*", timeout=30_000):
        own.ask("/move", {"scene": NUMBER})
    expect(phone.locator("#title")).to_have_text("How much?")
    own.ask("/move", {"scene": WORD})
    expect(phone.locator("#title")).to_have_text("What does “it” look at?")


def test_who_drives_hands_over(room: Room, own: Client, screen: Callable[..., Page]) -> None:
    first = screen(f"{own.url}/notes#{room.key}")
    first.tap("#hand_over_open")
    first.tap("#hand_over_now")
    expect(first.locator("#behind")).to_have_text("Somebody else drives now. You follow.")
    expect(first.locator("#forward")).to_be_disabled()
    link = first.locator("#hand_over_url")
    expect(link).to_have_value(re.compile("/notes#"))
    expect(link).to_be_visible()
    second = screen(link.input_value())
    second.tap("#forward")
    expect(first.locator("#place")).to_have_text("2 of 4")
    expect(first.locator("#notes")).to_be_hidden()


def test_a_link_without_its_key_says_so(own: Client, screen: Callable[..., Page]) -> None:
    for end in ("", "#" + "0" * 32):
        page = screen(f"{own.url}/notes{end}")
        expect(page.locator("#behind")).to_contain_text("no driver's key")
        expect(page.locator("#bar")).to_be_hidden()


def test_a_code_is_typed(app_url: str, room: Room, screen: Callable[..., Page]) -> None:
    page = screen(f"{app_url}/hall/")
    page.fill("#code", "xyzxyz")
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("There is no room with the code “XYZXYZ”")
    page.fill("#code", room.code.lower())
    page.tap("#enter")
    expect(page.locator("#title")).to_have_text("A sentence becomes a translation")
    with page.context.expect_page() as opened:
        page.tap("#open")  # in a tab of its own
    expect(opened.value).to_have_url(re.compile(r"/\?language=en$|/$"))


def picture() -> bytes:
    drawn = BytesIO()
    Image.new("RGB", (640, 360), "#7C3AED").save(drawn, "PNG")
    return drawn.getvalue()


def test_the_picture_of_a_scene_arrives(own: Client, screen: Callable[..., Page]) -> None:
    phone = screen(own.url)
    expect(phone.locator("#picture")).to_be_hidden()
    assert own.ask("/picture/0", picture(), "PUT").status == 200
    name = "What is on the screen: A sentence becomes a translation"
    # No expression is waited for here: the page's policy lets nobody evaluate one a second time.
    expect(phone.get_by_role("img", name=name)).to_have_js_property("naturalWidth", 640)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(
    app_url: str, room: Room, own: Client, screen: Callable[..., Page], theme: str
) -> None:
    assert not found(screen(f"{app_url}/hall/", theme=theme))
    own.ask("/picture/1", picture(), "PUT")
    phone = screen(own.url, theme=theme)
    notes = screen(f"{own.url}/notes#{room.key}", "zh-CN", theme)
    for scene in (WORD, NUMBER, CHOICE):
        own.ask("/move", {"scene": scene})
        phone.wait_for_selector("#question :is(button, input)")
        assert not found(phone) and not found(notes)
        own.ask("/reveal", {})
        phone.wait_for_selector("#question .answer")
        assert not found(phone) and not found(notes)
    own.ask("/black", {"black": True})
    phone.wait_for_selector("#black:visible")
    assert not found(phone) and not found(notes)
