"""The Lab's tiles with keys, and the way back; on a phone one below the other."""

from collections.abc import Callable

from playwright.sync_api import Page, expect


def test_a_tile_is_opened_by_keys_and_left_again(open_page: Callable[..., Page]) -> None:
    page = open_page("lab")
    tile = page.get_by_role("button", name="Why are the scores divided by √dₖ?")
    tile.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-lab_head h4")).to_contain_text("Why softmax")
    page.get_by_role("button", name="All questions").click()
    expect(tile).to_be_visible()
    page.get_by_role("button", name="How is a mask applied").click()
    expect(page.locator(".lab-masks section")).to_have_count(6)
    page.go_back()
    expect(tile).to_be_visible()


def test_on_a_phone_tiles_stand_below_each_other(open_page: Callable[..., Page]) -> None:
    page = open_page("lab", width=390, height=844)
    places = page.locator(".tile").evaluate_all(
        "tiles => tiles.map((tile) => Math.round(tile.getBoundingClientRect().left))"
    )
    assert len(places) > 8
    assert len(set(places)) == 1
    page.locator(".tile").first.click()
    bench = page.locator("[class*=st-key-lab_bench--]").bounding_box()
    assert bench is not None
    assert bench["width"] > 330  # nothing stands beside it
