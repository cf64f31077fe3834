"""A link opens the same screen for everyone: every page at its fullest, and opened elsewhere."""

from collections.abc import Callable
from difflib import unified_diff
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from playwright.sync_api import Page, expect

from glassformer.app.panels.panel import PAGES, panels_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.heads import HeadsOff, HeadsRedirected
from glassformer.core.interventions.masks import Causal
from glassformer.core.lectures.links import PACKED, unpack_query
from tests.browser import driver

PLACE, CROSS = "encoder/0/self_attention", "decoder/1/cross_attention"
EDITS = Experiment((HeadsOff(PLACE, (1,)), HeadsRedirected(CROSS, (), 2), Causal())).text
TEXT, SECOND = "I like the dog because it was big", "I like the cat because it was big"
TRAIL = {"trail": f"{PLACE}/context@1,2,3,4", "way": f"output/logits@1,2,3;{PLACE}/output@1,3,4"}
FOCUS = {"text": TEXT, "layer": "2", "head": "3", "query": "2", "key": "5",
         "precision": "4", "size": "125", "theme": "dark", "language": "zh"}  # fmt: skip
RUN = {"edits": EDITS, "run": "first"}
# What a link has beside its panel: few benches show the sentence, no training what is switched.
SEEN: dict[str, dict[str, str]] = dict.fromkeys(PAGES, FOCUS | RUN)
SEEN |= {"lab": {}, "training": FOCUS}
# Whether there is a step to undo is the session's own, no link says it: of a page that was led on
# from other screens it is not looked at.
STEPS = ".st-key-widget_stage_undo { display: none }"
SCREENS: dict[str, tuple[str, dict[str, str]]] = {
    "translate": ("", {**FOCUS, **RUN, **TRAIL, "block": "encoder/1/feed_forward",
                       "unfolded": "decoder:1,encoder:2", "links": "matrix", "token": "source:3",
                       "tint": "change"}),
    "walkthrough": ("walkthrough", {**FOCUS, **RUN, "walk": "encoder.1.self_attention.scores",
                                    "feature": "4"}),
    "attention": ("attention", {**FOCUS, **RUN, **TRAIL, "view": "heads", "order": "sharp",
                                "sinks": "apart", "stage": "masked", "terms": "dimension"}),
    "motion": ("attention", {**FOCUS, **RUN, "kind": "decoder", "view": "motion",
                             "motion": "weights"}),
    "gallery": ("switch", {"text": TEXT, "size": "125"}),
    "telling": ("tensors", {"text": TEXT, "size": "125"}),
    "course": ("training", {"text": TEXT, "course": "end"}),
    "workshop": ("training", {"training": "workshop",
                              "recipe": "form:source,all,d_model,64,layers,2,steps,777,rate,1.5"}),
    "tensors": ("tensors", {**FOCUS, **RUN, "address": f"{PLACE}/weights", "form": "table",
                            "axes": "key,query"}),
    "beside": ("attention", {**FOCUS, "edits": EDITS, "second": SECOND, "run": "both"}),
    **{f"{panel.page}_{panel.id}": (panel.page, {**SEEN[page], **panel.link})
       for page in PAGES for panel in panels_of(page).values()},
}  # fmt: skip


@pytest.fixture
def elsewhere(open_page: Callable[..., Page], app_url: str) -> Callable[[str], Page]:
    """Opens an address as somebody else does: nothing is remembered, and the system is light."""
    return lambda url: open_page(url.removeprefix(f"{app_url}/"))


def query_of(page: Page) -> dict[str, str]:
    return unpack_query(dict(parse_qsl(page.url.partition("?")[2], keep_blank_values=True)))


def drawn_alike(page: Page, again: Page) -> dict[str, Any]:
    """What both pages show; fails where they differ for long.

    The first had all its time while the second was opened: what that draws late differs till then.
    """
    for _ in range(20):
        here, there = driver.shown(page), driver.shown(again)
        if here == there:
            return here
        page.wait_for_timeout(200)
    lines = ([f"{name}: {each}" for name, all_ in found.items() for each in str(all_).split("\\n")]
             for found in (here, there))  # fmt: skip
    pytest.fail("\n".join(unified_diff(*lines, lineterm="", n=0)))


@pytest.mark.parametrize("name", SCREENS)
def test_the_fullest_screen_is_the_same_elsewhere(
    led: Callable[..., Page], elsewhere: Callable[[str], Page], name: str
) -> None:
    path, query = SCREENS[name]
    query = {"theme": "light"} | query
    if path != "lab":  # nothing is switched there: what the screens before switched ends
        led("lab", urlencode({"theme": query["theme"]}))
    page = led(path, urlencode(query))
    page.add_style_tag(content=STEPS)
    expect(page.locator(".st-key-left_out")).to_have_count(0)
    assert query_of(page).keys() >= query.keys() - {"unfolded"}
    again = elsewhere(page.url)
    again.add_style_tag(content=STEPS)
    assert any(drawn_alike(page, again)["texts"])


def test_a_long_link_is_packed_and_opens(
    open_page: Callable[..., Page], elsewhere: Callable[[str], Page]
) -> None:
    pairs = "\n".join(f"word{i} is {i}\t{i} 是 词{i}" for i in range(60))
    query = {"training": "workshop", "recipe": "form:source,own", "pairs": pairs}
    page = open_page("training", urlencode(query))
    page.wait_for_url(f"**?{PACKED}=*")
    assert query_of(page).items() >= query.items()
    assert pairs in drawn_alike(page, elsewhere(page.url))["inputs"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_bad_link_is_told_in_full(
    open_page: Callable[..., Page], language: str, theme: str
) -> None:
    query = f"head=99&layer=7&kind=bogus&edits=foo&language={language}&theme={theme}"
    page = open_page("attention", query, width=1280, height=720)
    told = page.locator(".st-key-left_out")
    expect(told).to_contain_text("bogus")
    box = told.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 720
    assert box["x"] + box["width"] <= 1280
    assert told.evaluate("each => each.scrollHeight - each.clientHeight") <= 4
    line = page.locator(".st-key-stage_focus")
    assert line.evaluate("each => each.scrollHeight - each.clientHeight") <= 4
    told.get_by_role("button").click()
    expect(told).to_have_count(0)


def test_what_is_typed_in_the_lab_is_in_the_link(
    open_page: Callable[..., Page], elsewhere: Callable[[str], Page]
) -> None:
    page = open_page("lab", "lab=scaling")
    score = page.get_by_role("textbox", name="q · k 1, 2")
    score.fill("−7.5")
    score.press("Enter")
    page.wait_for_url("**inputs=*")
    assert "−7.5" in drawn_alike(page, elsewhere(page.url))["inputs"]
