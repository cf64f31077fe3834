"""What the browser has is shown at once: here the server stands still while somebody clicks."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driver
from tests.browser.test_attention import PICTURE, click_cell, head, title

ASKED = 3000  # milliseconds until what lies near has come
NOBODY = "new Promise((done) => setTimeout(done, 400))"  # the server says nothing meanwhile
WEIGHTS = "(chart) => document.querySelector(chart)._fullData[0].z.map((row) => [...row])"
# Each head that a chart has shown, as its first weight.
WATCH = """(chart) => {
  const place = document.querySelector(chart);
  window.shownWeights = [];
  place.on("plotly_afterplot", () => shownWeights.push(place._fullData[0].z[0][0]));
}"""

# What Streamlit says of its server.
SAY = """(state) => document.querySelector('[data-testid="stApp"]')
  .setAttribute("data-test-script-state", state)"""

# Whether what the server sends of the chart is what has been drawn already.
FORESEEN = """() => {
  const view = shownViews.get("attention_large");
  const read = view.read.bind(view);
  window.asForeseen = [];
  view.read = (data) => {
    const draws = read(data);
    asForeseen.push(view.foreseen);
    return draws;
  };
}"""


@pytest.fixture
def standing(app_server: driver.Server) -> Callable[[], Any]:
    """While it stands still, whatever is drawn comes from the browser."""

    @contextmanager
    def stand() -> Iterator[None]:
        os.kill(app_server.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(app_server.pid, signal.SIGCONT)

    return stand


def come_near(page: Page, place: str) -> None:
    """Goes there with the pointer, until what may be asked for there is known."""
    page.locator(place).first.hover()
    page.wait_for_function("knownAnswers.places.size > 1", timeout=ASKED)
    driver.wait_until_idle(page)


def drawn_now(page: Page) -> Any:
    return page.evaluate(WEIGHTS, PICTURE)


def shown(page: Page) -> Any:
    driver.wait_until_idle(page)
    return drawn_now(page)


def test_another_head_is_shown_before_the_server_answers(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    before = shown(page)
    come_near(page, ".st-key-head_grid button")
    with standing():
        head(page, 2, 3).click()
        page.wait_for_function(
            f"(before) => ({WEIGHTS})({PICTURE!r})[0][0] !== before", arg=before[0][0]
        )
        page.wait_for_selector('.st-key-attention_large .chart-place[data-chart="drawn"]')
        early = drawn_now(page)
        expect(title(page)).to_contain_text("Layer 1 · Head 1")  # the server's
        page.evaluate(FORESEEN)
    expect(title(page)).to_contain_text("Layer 2 · Head 3")
    assert shown(page) == early
    assert page.evaluate("asForeseen") == [True]  # so it was not drawn again
    fresh = open_page("attention", "text=I+have+a+cat&layer=2&head=3")
    assert shown(fresh) == early


def test_a_run_that_began_before_the_click_takes_nothing_back(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    before = shown(page)
    come_near(page, ".st-key-head_grid button")
    page.evaluate(WATCH, PICTURE)
    with standing():
        head(page, 1, 2).click()
        page.wait_for_function(
            f"(before) => ({WEIGHTS})({PICTURE!r})[0][0] !== before", arg=before[0][0]
        )
        for state in ("running", "notRunning"):
            page.evaluate(SAY, state)
            page.evaluate(NOBODY)
        page.evaluate(FORESEEN)
    expect(title(page)).to_contain_text("Layer 1 · Head 2")
    driver.wait_until_idle(page)
    assert page.evaluate("asForeseen") == [True]
    assert before[0][0] not in page.evaluate("shownWeights")


def test_quick_clicks_end_on_the_last(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    come_near(page, ".st-key-head_grid button")
    page.evaluate(WATCH, PICTURE)
    for number in (2, 3, 4, 2, 4):
        head(page, 1, number).click(delay=20)
    expect(title(page)).to_contain_text("Layer 1 · Head 4")
    driver.wait_until_idle(page)
    page.evaluate(NOBODY)
    first = shown(page)[0][0]
    seen = page.evaluate("shownWeights")
    last = len(seen) - 1 - seen[::-1].index(first)
    assert set(seen[last:]) == {first}  # once it was there, nothing older came back
    assert first == shown(open_page("attention", "text=I+have+a+cat&layer=1&head=4"))[0][0]


def test_a_stage_and_a_step_are_shown_before_the_server_answers(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    weights = shown(page)
    come_near(page, ".st-key-widget_attention_stage button")
    with standing():
        page.locator(".st-key-widget_attention_stage").get_by_text("scores").click()
        page.wait_for_function(
            f"(before) => ({WEIGHTS})({PICTURE!r})[0][0] !== before", arg=weights[0][0]
        )
        scores = drawn_now(page)
    expect(page.get_by_text("softmax").first).to_be_visible()
    driver.wait_until_idle(page)
    assert shown(page) == scores
    page = open_page("decoding", "text=I+have+a+cat&moment=1")
    words = (
        "document.querySelector('.st-key-next_words .js-plotly-plot')._fullLayout.yaxis.ticktext"
    )
    first = driver.read(page, words)
    come_near(page, ".st-key-decoding_strip .column")
    with standing():
        page.locator(".st-key-decoding_strip .column").nth(1).click()
        page.wait_for_function(f"(first) => String({words}) !== String(first)", arg=first)
        early = page.evaluate(words)
    page.wait_for_url("**moment=2*")
    driver.wait_until_idle(page)
    assert driver.read(page, words) == early


def test_the_frame_goes_to_a_cell_at_once(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    frame = (
        f"document.querySelector({PICTURE!r})._fullLayout.shapes.find((it) => it.name === 'pinned')"
    )
    with standing():
        click_cell(page, 2, 1)
        page.wait_for_function(f"{frame}.x0 === 0.5 && {frame}.y0 === 1.5")
    page.wait_for_url("**query=3*")
    driver.wait_until_idle(page)
    assert driver.read(page, f"[{frame}.x0, {frame}.y0]") == [0.5, 1.5]


def test_a_slider_shows_where_it_is_before_it_rests(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("tensors", "text=I+have+a+cat&address=encoder/0/self_attention/q")
    chart = "document.querySelector('.st-key-tensor_picture .js-plotly-plot')"
    value = f"{chart}._fullData[0].z[0][0]"
    before = driver.read(page, value)
    come_near(page, ".st-key-widget_tensor_pin_head")
    with standing():
        page.get_by_role("slider", name="Held at: head").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"(before) => {value} !== before", arg=before)
        early = page.evaluate(value)
    page.wait_for_url("**head=2*")
    assert driver.read(page, value) == early


def test_other_axes_and_another_tensor_are_shown_before_the_server_answers(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("tensors", "text=I+have+a+cat&address=encoder/0/self_attention/q")
    chart = "document.querySelector('.st-key-tensor_picture .js-plotly-plot')"
    value = f"JSON.stringify({chart}._fullData[0].z.map((row) => [...row]))"
    before = driver.read(page, value)
    come_near(page, ".st-key-widget_tensor_rows")
    page.get_by_role("combobox", name="Rows").click()
    with standing():
        page.get_by_role("option", name="head", exact=True).click()
        page.wait_for_function(f"(before) => {value} !== before", arg=before)
        turned = page.evaluate(value)
    page.wait_for_url("**axes=head*")
    driver.wait_until_idle(page)
    assert driver.read(page, value) == turned
    come_near(page, ".st-key-address_tree .leaf[data-address='encoder/0/self_attention/k']")
    with standing():
        page.locator(".leaf[data-address='encoder/0/self_attention/k']").click()
        page.wait_for_function(f"(before) => {value} !== before", arg=turned)
        keys = page.evaluate(value)
        expect(page.locator(".st-key-tensors_title")).to_contain_text("self_attention/q")
    page.wait_for_url("**self_attention%2Fk*")
    driver.wait_until_idle(page)
    assert driver.read(page, value) == keys not in (before, turned)


LINE = ".st-key-attention_does--dense [data-testid=stMarkdownContainer] p"
# What a line says, by its own text or in its place.
SAID = """(line) => {
  const place = document.querySelector(line);
  return (place.dataset.early ?? place.textContent).trim();
}"""


def test_another_kind_and_a_head_turned_off_are_shown_before_the_server_answers(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("attention", "text=I+have+a+cat&kind=cross&layer=2&head=1")
    words = f"String(document.querySelector({PICTURE!r})._fullLayout.xaxis.ticktext)"
    off = page.locator(".st-key-head_grid button.off")
    before = driver.read(page, words)
    come_near(page, ".st-key-widget_attention_kind button")
    with standing():
        page.locator(".st-key-widget_attention_kind").get_by_text("Decoder").click()
        page.wait_for_function(f"(before) => {words} !== before", arg=before)
        early = page.evaluate(words), drawn_now(page)
        assert page.evaluate("shownViews.get('head_grid').before.length") == 1
    page.wait_for_url("**kind=decoder*")
    driver.wait_until_idle(page)
    assert (driver.read(page, words), shown(page)) == early
    come_near(page, ".st-key-attention_off button")
    page.wait_for_function("[...knownAnswers.places.keys()].some((it) => it.includes('heads_off'))")
    driver.wait_until_idle(page)
    habit, stands = page.evaluate(SAID, LINE), page.locator(LINE).first.bounding_box()
    with standing():
        page.locator(".st-key-attention_off button").first.click()
        expect(off).to_have_count(1)
        said, early = page.evaluate(SAID, LINE), drawn_now(page)
        assert said.startswith("Without this head") and said != habit
        assert page.locator(LINE).first.bounding_box() == stands  # nothing has jumped
    page.wait_for_url("**edits=*")
    page.wait_for_function("!document.querySelector('[data-early]')")
    driver.wait_until_idle(page)
    assert page.evaluate(SAID, LINE) == said
    assert shown(page) == early
    expect(off).to_have_count(1)


def test_a_slider_of_the_lab_draws_before_the_server_answers(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("lab", "lab=scaling")
    chart = "document.querySelector('.st-key-lab_scaling_chart .js-plotly-plot')"
    drawn = f"JSON.stringify({chart}._fullData.map((it) => [...(it.y ?? [])]))"
    before = driver.read(page, drawn)
    come_near(page, ".st-key-typed_lab_scaling input[type=range]")
    with standing():
        page.locator(".st-key-typed_lab_scaling input[type=range]").nth(1).focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"(before) => {drawn} !== before", arg=before)
        early = page.evaluate(drawn)
    page.wait_for_url("**inputs=*")
    driver.wait_until_idle(page)
    assert driver.read(page, drawn) == early


# What a chart shows, number by number.
SPELLED = """() => {
  const { _fullData: [cells, bars], _fullLayout: layout } =
    document.querySelector(".st-key-attention_terms .js-plotly-plot");
  return {
    z: cells.z.flatMap((row) => [...row].map((value) => value ?? NaN)),
    ends: [cells.zmin, cells.zmax], x: [...bars.x], range: [...layout.xaxis2.range],
    texts: [
      ...(cells.text ?? []).flat(), ...(bars.text ?? []), ...bars.hovertext,
      ...layout.yaxis.ticktext,
    ],
    colours: [...bars.marker.color],
  };
}"""


@pytest.mark.parametrize("link", ["", "&terms=dimension", "&kind=cross", "&kind=decoder"])
def test_a_clicked_cell_is_spelled_out_at_once(
    open_page: Callable[..., Page], standing: Callable[[], Any], link: str
) -> None:
    page = open_page("attention", f"text=I+have+a+cat&layer=1&head=2{link}")
    come_near(page, PICTURE)
    before = page.evaluate(SPELLED)
    with standing():
        click_cell(page, 3, 1)
        page.wait_for_function(
            f"(before) => String(({SPELLED})().x) !== String(before)", arg=before["x"]
        )
        early = page.evaluate(SPELLED)
    page.wait_for_url("**query=4*")
    driver.wait_until_idle(page)
    late = page.evaluate(SPELLED)
    for name in ("texts", "colours"):
        assert early.pop(name) == late.pop(name)
    for name, numbers in early.items():
        assert numbers == pytest.approx(late[name], rel=1e-6, nan_ok=True), name


def test_cell_after_cell_is_spelled_out_by_what_came_once(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=2")
    come_near(page, PICTURE)
    page.evaluate("knownAnswers.ask = () => {}")
    click_cell(page, 3, 1)
    page.wait_for_url("**query=4*")
    page.wait_for_function("!knownAnswers.pending")
    first = page.evaluate(SPELLED)["texts"]
    with standing():
        click_cell(page, 2, 0)
        page.wait_for_function(
            f"(first) => String(({SPELLED})().texts) !== String(first)", arg=first
        )


def test_what_is_not_known_is_shown_in_small(
    open_page: Callable[..., Page], standing: Callable[[], Any]
) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    with standing():  # nobody came near before
        head(page, 2, 3).click(force=True)
        over = page.locator(".st-key-attention_large .chart-over")
        expect(over).to_be_visible()
        boxes = [over.bounding_box(), page.locator(f"{PICTURE} .nsewdrag").first.bounding_box()]
        over_them, cells = ([*each.values()] for each in boxes if each)
        assert over_them == pytest.approx(cells, abs=1.5)
    expect(over).to_have_count(0)
    expect(title(page)).to_contain_text("Layer 2 · Head 3")


def test_a_click_that_the_server_never_hears_is_taken_back(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    before = shown(page)
    come_near(page, ".st-key-head_grid button")
    page.evaluate("WebSocket.prototype.send = () => {}")
    head(page, 2, 3).click()
    page.wait_for_function(
        f"(before) => ({WEIGHTS})({PICTURE!r})[0][0] !== before", arg=before[0][0]
    )
    page.wait_for_function(
        f"(before) => ({WEIGHTS})({PICTURE!r})[0][0] === before", arg=before[0][0]
    )


def test_a_frame_goes_back_where_the_server_never_hears(open_page: Callable[..., Page]) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    frame = f"document.querySelector({PICTURE!r})._fullLayout.shapes.at(-1).x0"
    before = driver.read(page, frame)
    assert before == 0.5  # the second word
    page.evaluate("WebSocket.prototype.send = () => {}")
    click_cell(page, 2, 0)
    page.wait_for_function(f"{frame} === -0.5")
    page.wait_for_function(f"{frame} === 0.5")


def test_another_sentence_forgets_what_was_known_of_the_one_before(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("attention", "text=I+have+a+cat&layer=1&head=1")
    come_near(page, ".st-key-head_grid button")
    version = page.evaluate("knownAnswers.version")
    box = page.get_by_role("textbox", name="Sentence").first
    box.fill("I have a dog")
    box.press("Enter")
    page.wait_for_function("(version) => knownAnswers.version !== version", arg=version)
    driver.wait_until_idle(page)
    head(page, 2, 3).click()
    expect(title(page)).to_contain_text("Layer 2 · Head 3")
    driver.wait_until_idle(page)
    fresh = open_page("attention", "text=I+have+a+dog&layer=2&head=3")
    assert shown(page) == shown(fresh)
