"""A page as it opens for the first time: nothing jumps, nothing is asked for in vain."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext

from glassformer.app.frame.opening_page import PAGES
from tests.browser import driver

MOST = (
    0.05  # of the window times of its longer side: Google's Cumulative Layout Shift, "good" is 0.1
)
# What moved without the reader's doing, as the browser itself measures it.
SHIFTS = """window.moved = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries())
    if (!hadRecentInput) moved.push([value, ...sources.map(({ node, previousRect, currentRect }) =>
      [node?.className ?? node?.textContent, previousRect.toJSON(), currentRect.toJSON()])]);
}).observe({ type: "layout-shift", buffered: true });"""

# Nothing may move by itself for longer (WCAG 2.2.2); a page that is only looked at costs nothing.
LONGEST = 5000  # milliseconds
MOVING = """(longest) => {
  const roots = [document];
  for (const root of roots)
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) roots.push(each.shadowRoot);
  return roots.flatMap((root) => root.getAnimations())
    .filter((each) => each.effect.getComputedTiming().endTime > longest)
    .map((each) => [each.animationName, each.effect.target.outerHTML]);
}"""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=["projector", "phone"])
@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_opens_without_a_jump(
    page: str, size: tuple[int, int], context: BrowserContext, app_url: str
) -> None:
    asked, failed = [], []
    window = driver.new_page(context)
    window.set_viewport_size({"width": size[0], "height": size[1]})
    window.add_init_script(f"localStorage.clear(); {SHIFTS}")
    window.on("response", lambda got: (failed if got.status >= 400 else asked).append(got.url))
    window.goto(f"{app_url}/{'' if page == 'translate' else page}")
    driver.wait_until_idle(window)
    assert window.evaluate("'begun' in document.documentElement.dataset")  # so it is seen
    window.wait_for_timeout(1000)
    moved = window.evaluate("window.moved")
    assert sum(value for value, *_ in moved) <= MOST, moved
    assert window.evaluate(MOVING, LONGEST) == []
    assert failed == []
    assert sum("plotly" in each for each in asked) <= 1
    window.close()


LOOK = """const look = (node) => {
  const { left, width, top, height } = node.getBoundingClientRect();
  const { color, fontSize, fontFamily, fontWeight } = getComputedStyle(node);
  const middle = top + height / 2;
  return { text: node.textContent, left, width, middle, color, fontSize, fontFamily, fontWeight };
};"""
# Where the first words stood last and how they looked; what colours have been behind all.
WORDS = (
    f"{LOOK}\n"
    + """window.stood = null;
window.grounds = new Set();
const ground = (node) => node ? getComputedStyle(node).backgroundColor : "";
const SEEN = /^rgb\\(/; // not the empty page, not what is seen through
(function watch() {
  const words = document.querySelector("#first-words > *");
  if (words) window.stood = look(words);
  const all = [document.querySelector(".stApp"), document.documentElement].map(ground);
  const first = all.find((each) => SEEN.test(each));
  if (first) window.grounds.add(first);
  requestAnimationFrame(watch);
})();"""
)
HEADLINE = f"(node) => {{ {LOOK} return look(node); }}"
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}


@pytest.mark.parametrize(
    "size, query, scheme",
    [
        ((1280, 720), "", "dark"),
        ((1440, 900), "?text=I+have+a+cat&language=zh", "light"),
        ((1920, 1080), "?size=150", "light"),
        ((390, 844), "", "light"),
        ((390, 844), "?size=125", "dark"),
    ],
    ids=str,
)
def test_the_first_words_stand_where_the_headline_will(
    size: tuple[int, int],
    query: str,
    scheme: Literal["light", "dark"],
    browser: Browser,
    app_url: str,
) -> None:
    with browser.new_context(locale="en-GB", color_scheme=scheme) as context:
        window = driver.new_page(context)
        window.set_viewport_size({"width": size[0], "height": size[1]})
        window.add_init_script(WORDS)
        for _ in range(1 + ("text" in query)):  # its first visitor has it computed
            window.goto(f"{app_url}/{query}")
            driver.wait_until_idle(window)
        stood, there = window.evaluate("window.stood"), window.locator("#first-words").count()
        headline = window.locator(".st-key-headline .text").evaluate(HEADLINE)
        grounds = window.evaluate("[...window.grounds]")
    assert there == 0 and grounds == [GROUNDS[scheme]]
    for name in ("left", "width", "middle"):
        assert stood.pop(name) == pytest.approx(headline.pop(name), abs=1.5), name
    fonts = [each.pop("fontFamily").split(", sans-serif")[0] for each in (stood, headline)]
    assert fonts[0] == fonts[1] and stood == headline


@pytest.mark.parametrize("place", ["attention", "?text=Nobody+asked+for+this&edits=x", "lab"])
def test_elsewhere_no_words_come_before_the_app(
    place: str, context: BrowserContext, app_url: str
) -> None:
    window = driver.new_page(context)
    window.add_init_script(WORDS)
    window.goto(f"{app_url}/{place}")
    driver.wait_until_idle(window)
    assert window.evaluate("window.stood") is None
    window.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_takes_its_theme_for_the_apps(
    scheme: Literal["light", "dark"], browser: Browser, app_url: str
) -> None:
    told: list[bytes] = []
    with browser.new_context(locale="en-GB", color_scheme=scheme) as context:
        window = driver.new_page(context)
        window.set_viewport_size({"width": 390, "height": 844})
        hear = lambda sent: told.append(bytes(sent))  # noqa: E731
        window.on("websocket", lambda line: line.on("framesent", hear))
        window.goto(app_url)
        driver.wait_until_idle(window)
        window.wait_for_timeout(1000)
    assert told and not any(b"scheme" in each for each in told)  # another it would tell


def test_the_charts_of_another_page_are_loaded_when_its_link_is_near(
    context: BrowserContext, app_url: str
) -> None:
    asked: list[str] = []
    window = driver.new_page(context)
    window.on("request", lambda it: asked.append(it.url) if "plotly" in it.url else None)
    window.goto(f"{app_url}/lectures")
    driver.wait_until_idle(window)
    assert not asked  # no chart is here
    window.get_by_role("link", name="Attention").hover()
    window.wait_for_function("window.Plotly")
    window.get_by_role("link", name="Attention").click()
    window.wait_for_selector('.st-key-attention_large .chart-place[data-chart="drawn"]')
    assert len(asked) == 1
    window.close()


def test_the_first_page_is_found_by_its_own_path_too(context: BrowserContext, app_url: str) -> None:
    window = driver.new_page(context)
    window.goto(f"{app_url}/translate?text=I+have+a+cat&language=zh")
    driver.wait_until_idle(window)
    assert window.url == f"{app_url}/?text=I+have+a+cat&language=zh"
    assert window.get_by_role("dialog").count() == 0
    assert "我有一只猫" in window.locator(".st-key-headline .text").inner_text()
    window.close()
