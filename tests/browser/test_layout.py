"""Every tab of every page in the sizes of halls and phones: nothing is cut or overlaps.

What counts is what the browser measures (layout_faults.js). A tab is led to inside its session, as
by the browser's back button. EVERY_SIZE=1 walks all sizes and languages; without it a page is
walked in one of them, the next page in another.
"""

import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page

from glassformer.app.session import state
from tests.browser import driver

TABS: dict[str, list[dict[str, str]]] = {
    "translate": [{}, {"links": "matrix"}, {"block": "encoder/1/feed_forward"}],
    "walkthrough": [{}, {"walk": "encoder.1.self_attention.scores"}],
    "attention": [
        *({"view": view} for view in state.VIEWS),
        {"kind": "cross"},
        {"layer": "2", "head": "1", "terms": "writers"},
    ],
    "vectors": [{"vectors": each} for each in state.VECTORS[1:]]
    + [{"positions": each} for each in state.POSITIONS],
    "decoding": [{"decoding": each} for each in state.DECODING],
    "switch": [{"switches": each} for each in state.SWITCHES],
    "training": [*({"replay": each} for each in state.REPLAYS), {"training": "workshop"}],
    "lab": [{"lab": each} for each in ("tiles", *state.LAB)],
    "tensors": [{"form": form} for form in ("picture", "table", "exact")],
    "lectures": [{}],
}
SIZES = {
    "large": (1280, 720, "150"),
    "zoomed": (853, 480, "100"),
    "phone": (390, 844, "100"),
    "phone, large type": (390, 844, "150"),
    "plain": (1280, 720, "100"),
}
NARROW = (320, 690, "100")  # here the width of pages is all that is asked
LOOKS = list(product(SIZES, state.LANGUAGES))
EVERY = bool(os.environ.get("EVERY_SIZE"))
WALKS = [
    (name, *look)
    for at, name in enumerate(TABS)
    for look in (LOOKS if EVERY else [LOOKS[at % len(LOOKS)]])
]
# What is not mended yet, by size and the key of its element.
KNOWN: dict[str, set[str]] = {size: set() for size in SIZES}
KNOWN["phone, large type"] = {
    "attention_lines", "positions_map", "beside_switch", "lab_ngrams_chart",
    "widget_lab_bench", "widget_tensor_address",
}  # fmt: skip
CUT = "(all) => all.filter((it) => it.scrollWidth > it.clientWidth + 1).map((it) => it.innerText)"
# What says a sentence, by page.
WHOLE = {
    "": ".st-key-word_lines .chip, .st-key-headline .text",
    "training": ".training-headline > *",
    "decoding": ".sentence-lines bdi",
}
LONG_TEXT = (
    "The animal didn't cross the street because it was too tired and the dog that I saw yesterday "
    "in the park likes the cat that my sister gave to her friend"
)
LEAD = """(place) => {
  history.pushState(null, "", place);
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
}"""


@pytest.fixture
def window(browser: Browser) -> Callable[..., Page]:
    """A window of a size; one of a phone has fingers."""

    def open_one(width: int, height: int) -> Page:
        touched = {"has_touch": True, "is_mobile": True} if width < 500 else {}
        size = {"width": width, "height": height}
        page = driver.new_page(browser, viewport=size, locale="en-GB", **touched)
        page.add_init_script(path=Path(__file__).with_name("layout_faults.js"))
        return page

    return open_one


def walk(page: Page, app_url: str, name: str, looks: dict[str, str]) -> dict[str, list[str]]:
    """The faults of each tab of a page that has any."""
    found = {}
    for at, tab in enumerate(TABS[name]):
        place = f"{app_url}/{'' if name == 'translate' else name}?{urlencode(tab | looks)}"
        if at:
            page.evaluate(LEAD, place)
        else:
            page.goto(place)
        faults = driver.read(page, "layoutFaults()")
        if faults:
            found[urlencode(tab)] = faults
    return found


@pytest.mark.parametrize(("name", "size", "language"), WALKS)
def test_nothing_is_cut_or_overlaps(
    window: Callable[..., Page], app_url: str, name: str, size: str, language: str
) -> None:
    width, height, type_size = SIZES[size]
    page = window(width, height)
    found = walk(page, app_url, name, {"language": language, "size": type_size})
    page.close()
    known = KNOWN[size]
    left = {
        tab: [fault for fault in faults if not any(f"({key} " in fault for key in known)]
        for tab, faults in found.items()
    }
    assert not {tab: faults for tab, faults in left.items() if faults}


@pytest.mark.parametrize("name", TABS if EVERY else ["translate"])
def test_no_page_is_wider_than_a_narrow_window(
    window: Callable[..., Page], app_url: str, name: str
) -> None:
    page = window(*NARROW[:2])
    found = walk(page, app_url, name, {"size": NARROW[2]})
    page.close()
    assert not [(tab, each) for tab, faults in found.items() for each in faults if "wide:" in each]


def test_large_type_on_a_phone_cuts_no_sentence(window: Callable[..., Page], app_url: str) -> None:
    page = window(390, 844)
    looks = {"language": "zh", "size": "150"}
    for name, sentences in WHOLE.items():
        page.goto(f"{app_url}/{name}?{urlencode(looks)}")
        driver.wait_until_idle(page)
        assert page.locator(sentences).count()
        assert page.locator(sentences).evaluate_all(CUT) == []
    page.close()


def test_of_rows_too_low_for_their_names_some_are_named(
    window: Callable[..., Page], app_url: str
) -> None:
    page = window(1280, 720)
    page.goto(f"{app_url}/attention?{urlencode({'text': LONG_TEXT})}")
    driver.wait_until_idle(page)
    names = page.locator(".st-key-attention_large .ytick text")
    assert "it" in names.all_text_contents()  # the row in focus
    assert 10 < names.count() < len(LONG_TEXT.split())
    assert driver.read(page, "layoutFaults()") == []
    page.close()


def test_a_choice_that_goes_on_in_the_next_line_has_its_edges(
    window: Callable[..., Page], app_url: str
) -> None:
    page = window(1280, 720)
    page.goto(f"{app_url}/attention?size=150")
    driver.wait_until_idle(page)
    edges = "(all) => all.map((it) => getComputedStyle(it).borderLeftColor)"
    choice = page.locator(".st-key-widget_attention_kind button")
    assert "rgba(0, 0, 0, 0)" not in choice.evaluate_all(edges)
    page.close()


def test_the_measures_find_what_is_wrong(window: Callable[..., Page], app_url: str) -> None:
    page = window(1280, 720)
    page.goto(f"{app_url}/lectures")
    driver.wait_until_idle(page)
    page.evaluate(
        """document.querySelector(".stMainBlockContainer").insertAdjacentHTML("afterbegin", `
        <p style="width: 3rem; overflow: hidden; white-space: nowrap">words without room</p>
        <svg width="30" height="20"><text y="15">words of a drawing</text></svg>
        <div style="position: relative; height: 2rem">
          <b style="position: absolute">one over</b><i style="position: absolute">another</i></div>
        <hr style="width: 3000px">`)"""
    )
    found = page.evaluate("layoutFaults()")
    page.evaluate(
        """document.querySelector(".stMainBlockContainer").innerHTML = `
        <div class="scroll" style="flex: none; width: 168px; height: 260px"><div class="board">
          <canvas data-cell="12" data-rows="14" data-columns="14" style="width: 168px"></canvas>
        </div></div>
        <div class="chart-place" style="height: 20px"><svg><g class="mlayer"></g></svg></div>`"""
    )
    found += page.evaluate("layoutFaults()")
    page.evaluate(
        """document.querySelector(".stMainBlockContainer").innerHTML = `
        <div style="flex: none; height: 2000px"></div>
        <div style="position: relative"><b style="position: absolute">below the fold</b>
          <i style="position: absolute">there, too</i></div>`"""
    )
    found += page.evaluate("layoutFaults()")
    page.close()
    begins = ('cut: "words without room"', 'cut: "words of a drawing"', "wide:")
    begins += ('overlap: "another"', 'overlap: "below the fold"')
    begins += ("small: cells 12.0 px wide", "empty: (")
    for wrong in begins:
        assert any(fault.startswith(wrong) for fault in found), (wrong, found)
