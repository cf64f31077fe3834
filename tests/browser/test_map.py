"""The map in a real browser: point, click, tab, unfold, read, reload."""

from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Page, expect

from glassformer.core.text_models.checkpoints import load_model
from tests.browser import driver

FEED_FORWARD = "encoder/0/feed_forward"
PICTURES = ".st-key-block_pictures .nsewdrag"


def block(page: Page, block_id: str):  # type: ignore[no-untyped-def]
    return page.locator(f'.map [data-block="{block_id}"]')


def panel(page: Page):  # type: ignore[no-untyped-def]
    return page.locator("[class*=st-key-block_panel--]")


def test_a_click_opens_the_panel_and_the_link_brings_it_back(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    expect(block(page, FEED_FORWARD)).to_have_attribute("aria-pressed", "false")
    block(page, FEED_FORWARD).click()
    page.wait_for_url(f"**block={quote(FEED_FORWARD, safe='')}*")
    expect(block(page, FEED_FORWARD)).to_have_attribute("aria-pressed", "true")
    expect(panel(page)).to_contain_text("Encoder · Layer 1 · Feed-forward")
    expect(panel(page)).to_contain_text("encoder/0/feed_forward/activation")
    page.reload()
    driver.wait_until_idle(page)
    expect(panel(page)).to_contain_text("Encoder · Layer 1 · Feed-forward")
    assert page.locator(PICTURES).count() == 3


def test_the_measure_is_on_request_by_mouse_and_by_key(open_page: Callable[..., Page]) -> None:
    page = open_page()
    switch, number = block(page, "tint"), block(page, FEED_FORWARD).get_by_text("%")
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(number).to_have_count(0)
    switch.click()
    page.wait_for_url("**tint=change*")
    expect(number).to_have_count(1)
    switch.focus()
    page.keyboard.press("Enter")
    expect(number).to_have_count(0)


def test_a_second_click_or_the_button_closes_the_panel(open_page: Callable[..., Page]) -> None:
    page = open_page(query="block=memory")
    expect(panel(page)).to_contain_text("Encoder output")
    block(page, "memory").click()
    expect(panel(page)).to_have_count(0)
    block(page, "source/embedding").click()
    expect(panel(page)).to_contain_text("Embedding")
    panel(page).get_by_role("button", name="Close").click()
    expect(panel(page)).to_have_count(0)
    expect(page).not_to_have_url("block=")


def test_the_keyboard_reaches_a_block_and_opens_it(open_page: Callable[..., Page]) -> None:
    page = open_page()
    first = page.locator(".map .block").first
    first.focus()
    page.keyboard.press("Tab")
    focused = page.evaluate(
        "() => { let at = document.activeElement;"
        " while (at.shadowRoot) at = at.shadowRoot.activeElement; return at.dataset.block; }"
    )
    assert focused and focused != first.get_attribute("data-block")
    expect(page.locator(".map .tip")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**block={quote(focused, safe='')}*")
    expect(block(page, focused)).to_have_attribute("aria-pressed", "true")


def test_a_folded_layer_unfolds_and_stays_unfolded(open_page: Callable[..., Page]) -> None:
    page = open_page()
    folded = block(page, "encoder/1/feed_forward").bounding_box()
    block(page, "encoder/1").click(position={"x": 8, "y": 8})
    expect(panel(page)).to_contain_text("Encoder · Layer 2 of 2")
    driver.wait_until_idle(page)
    unfolded = block(page, "encoder/1/feed_forward").bounding_box()
    assert folded and unfolded and unfolded["width"] > 2 * folded["width"]
    block(page, "decoder/0/cross_attention").click()
    expect(panel(page)).to_contain_text("Decoder · Layer 1 · Cross-attention")
    driver.wait_until_idle(page)
    wide, narrow = (block(page, f"encoder/{layer}/feed_forward").bounding_box() for layer in (1, 0))
    assert wide and narrow and wide["width"] > 2 * narrow["width"]


def test_pointing_at_a_block_says_what_it_does_in_the_language_of_the_page(
    open_page: Callable[..., Page],
) -> None:
    width = load_model().config.d_model
    for language, name, what in (
        ("en", "Decoder · Layer 1 · Cross-attention", "encoder output"),
        ("zh", "解码器 · 第 1 层 · 交叉注意力", "编码器"),
    ):
        page = open_page(query=f"language={language}")
        tip = page.locator(".map .tip")
        expect(tip).to_be_hidden()
        block(page, "decoder/0/cross_attention").hover()
        expect(tip).to_contain_text(name)
        expect(tip).to_contain_text(what)
        expect(tip).to_contain_text(f"× {width}")
        expect(tip).to_contain_text("%")
        expect(tip.locator("p").last).to_contain_text(str(width))  # what its stripe shows
        page.mouse.move(2, 2)
        expect(tip).to_be_hidden()


def test_words_are_drawn_as_they_were_typed(open_page: Callable[..., Page]) -> None:
    page = open_page(query=f"text={quote('the <b>x</b> <s> sees the $x$ and &lt;')}")
    drawn = page.locator(".map svg text").all_text_contents()
    source = page.locator(".map svg").inner_html()
    assert any("<" in words or "$" in words for words in drawn)
    assert "<b>" not in source and "<s>" not in source


def test_an_attention_block_leads_to_its_heads(open_page: Callable[..., Page]) -> None:
    page = open_page(query="block=decoder/1/cross_attention")
    panel(page).get_by_role("button", name="See its heads").click()
    page.wait_for_url("**/attention?*")
    driver.wait_until_idle(page)
    page.wait_for_url("**kind=cross*")
    page.wait_for_url("**layer=2*")


def test_an_unknown_block_in_the_link_opens_nothing(open_page: Callable[..., Page]) -> None:
    page = open_page(query="block=encoder/99/%3Cb%3E")
    expect(page.locator(".map .block").first).to_be_visible()
    expect(panel(page)).to_have_count(0)
    expect(page.locator('.map [aria-pressed="true"]')).to_have_count(0)


def type_sizes(page: Page) -> list[float]:
    """Every text of the map with the pixels that its type has on the screen, smallest first."""
    return page.locator(".map svg").evaluate(
        "(svg) => [...svg.querySelectorAll('text')]"
        ".map((text) => svg.getScreenCTM().a * text.getAttribute('font-size'))"
        ".sort((a, b) => a - b)"
    )


def test_the_map_beside_a_panel_can_be_read_and_fills_its_column(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(query="block=memory")
    assert type_sizes(page)[0] >= 9.4
    drawn = page.locator(".map svg").bounding_box()
    assert drawn and drawn["height"] > 560 and drawn["y"] + drawn["height"] <= 900


def test_larger_type_makes_the_map_larger(open_page: Callable[..., Page]) -> None:
    for query in ("", "block=memory"):
        usual, large = (type_sizes(open_page(query=f"{query}&size={size}")) for size in (100, 150))
        assert large[-1] >= 1.25 * usual[-1]
    page = open_page(query="size=150")
    last = page.locator(".map svg text").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()


def test_a_click_leaves_the_map_and_the_block_under_the_cursor(
    open_page: Callable[..., Page],
) -> None:
    """The panel opens beside the map; nothing moves, and no tip lies on what was clicked."""
    page = open_page()
    svg, clicked = page.locator(".map svg"), block(page, FEED_FORWARD)
    before = [each.bounding_box() for each in (svg, clicked)]
    clicked.click()
    expect(panel(page)).to_contain_text("Encoder · Layer 1 · Feed-forward")
    driver.wait_until_idle(page)
    assert [each.bounding_box() for each in (svg, clicked)] == before
    expect(page.locator(".map .tip")).to_be_hidden()
    below = block(page, "encoder/0/self_attention_norm")
    below.hover()  # its tip would stand above it, on the open block
    tip = page.locator(".map .tip")
    expect(tip).to_be_visible()
    one, two = tip.bounding_box(), clicked.bounding_box()
    assert one and two
    assert one["y"] >= two["y"] + two["height"] or one["y"] + one["height"] <= two["y"]
