"""The benches on weights and norms: type, click, and read what changes."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.driver import wait_until_idle

TYPED = "[class*=st-key-lab_bench--] .typed"


def test_sqrt_dk_as_one_types(open_page: Callable[..., Page]) -> None:
    page = open_page("lab", "lab=scaling")
    expect(page.locator("[class*=st-key-lab_bench--]")).to_contain_text("Your row with dₖ = 64")
    field = page.locator(f"{TYPED} [data-name=d_k] input.number")
    field.fill("16")
    expect(page.locator("[class*=st-key-lab_bench--]")).to_contain_text("Your row with dₖ = 16")
    field.fill("many")
    expect(page.locator(f"{TYPED} .message.error")).to_contain_text("not a number")
    expect(page.locator("[class*=st-key-lab_bench--]")).to_contain_text("Your row with dₖ = 16")
    page.locator(f"{TYPED} .reset").click()
    expect(page.locator("[class*=st-key-lab_bench--]")).to_contain_text("Your row with dₖ = 64")


def test_a_row_that_may_look_at_nothing(open_page: Callable[..., Page]) -> None:
    page = open_page("lab", "lab=masks")
    ways = page.locator(".lab-masks section")
    expect(ways).to_have_count(6)
    expect(ways.nth(1)).to_have_class("good")
    page.locator(f"{TYPED} [data-name=mask] button.flag").first.click()
    expect(ways.nth(1)).to_contain_text("NaN: row 1.")
    expect(ways.nth(0)).to_contain_text("looks at all alike: row 1.")
    page.get_by_role("button", name="causal").click()
    expect(ways.nth(1)).to_have_class("good")


def test_benches_fit_a_laptop(open_page: Callable[..., Page]) -> None:
    page = open_page("lab", "lab=scaling")
    for bench in (
        "scaling", "normalisers", "labels", "dictionary", "similarity", "pull", "masks",
        "mask_building", "mask_steps", "layer_norm", "batch_norm", "norm_axes", "seq2seq", "rnn",
        "ngrams",
    ):  # fmt: skip
        page.get_by_role("button", name="All questions").click()
        page.locator(f".tile[data-bench={bench}]").click()
        expect(page.locator("[class*=st-key-lab_bench--] h4")).to_have_count(1)
        wait_until_idle(page)
        over = page.locator("[class*=st-key-lab_bench--]").evaluate(
            "e => e.scrollHeight - e.clientHeight"
        )
        assert over <= 2, f"{bench} is {over} pixels too high"


def test_a_masks_step_is_walked_by_keys(open_page: Callable[..., Page]) -> None:
    page = open_page("lab", "lab=mask_steps")
    board = page.locator(".lab-steps")
    expect(board.locator("th.now")).to_have_text("▸ 3")
    slider = page.locator(f"{TYPED} [data-name=step] input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(board.locator("th.now")).to_have_text("▸ 4")
    expect(board.locator("td.hidden.now")).to_have_count(1)
    page.keyboard.press("End")
    expect(board.locator("th.now")).to_have_text("▸ 5")
    expect(board.locator("td.hidden.now")).to_have_count(0)


def test_words_grow_and_a_label_is_right_by_a_click(open_page: Callable[..., Page]) -> None:
    page = open_page("lab", "lab=seq2seq")
    steps = page.locator(f"{TYPED} [data-name=step] input[type=range]")
    expect(steps).to_have_attribute("max", "11")
    page.get_by_role("button", name="One column less: words").click()
    expect(steps).to_have_attribute("max", "10")
    page.get_by_role("button", name="All questions").click()
    page.locator(".tile[data-bench=labels]").click()
    tables = page.locator(".lab-labels table")
    expect(tables.first).to_contain_text("(not below 0.693)")
    page.locator(f"{TYPED} [data-name=true] button.flag").first.click()
    expect(tables.first).to_contain_text("(not below 0)")
    expect(tables.first.locator("th").nth(4)).to_have_text("cat")
