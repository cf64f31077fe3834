"""Tensors, the activation patching and the padded batch in a real browser, by mouse."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser import driver

SWEEP = ".st-key-patching_map .js-plotly-plot"
PLACE = """([selector, curve, row, column]) => {
  const chart = document.querySelector(selector);
  const box = chart.querySelectorAll(".nsewdrag")[curve].getBoundingClientRect();
  const layout = chart._fullLayout;
  const [x, y] = curve ? [layout.xaxis2, layout.yaxis2] : [layout.xaxis, layout.yaxis];
  return [box.left + x.l2p(column), box.top + y.l2p(row)];
}"""
SHARE = """([selector, curve, row, column]) =>
  document.querySelector(selector)._fullData[curve].z[row][column]"""


def click_cell(page: Page, curve: int, row: int, column: int) -> None:
    page.wait_for_selector(f'{SWEEP}[data-heard="yes"] .nsewdrag', state="attached")
    x, y = driver.read(page, PLACE, [SWEEP, curve, row, column])
    page.mouse.move(x + 3, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{SWEEP} .hovertext")).to_be_visible()
    page.mouse.click(x, y)


def test_the_patching_is_run_and_a_cell_becomes_the_experiment(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("switch", "switches=patching")
    page.locator(".st-key-widget_patching_pair").get_by_text("cat / dog").click()
    expect(page.locator("[class*=st-key-patching_pairs--]")).to_contain_text("The noun decides")
    page.wait_for_url("**second=*")
    assert driver.read(page, SHARE, [SWEEP, 0, 0, 3]) > 0.99  # cat, where the words enter
    click_cell(page, 0, 6, 3)
    page.wait_for_url("**edits=patch*")
    patched = page.locator("[class*=st-key-patching_patched--]")
    expect(patched).to_contain_text("encoder, after layer 2")
    expect(patched).to_contain_text("我有一条狗")
    click_cell(page, 1, 6, 3)  # cross-attention of layer 2, while 只 is written
    expect(patched).to_contain_text("decoder, layer 2: cross-attention")
    page.get_by_role("button", name="See all it changes").click()
    expect(page.get_by_role("button", name="Take out")).to_be_visible()
    expect(page.locator("[class*=st-key-tensor_edit--]")).to_contain_text(
        re.compile(r"Done: \d+ of the")
    )


def test_a_tensor_is_edited(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", "switches=tensors&text=I+have+a+cat&address=memory")
    form = page.locator("[class*=st-key-tensor_edit--]")
    form.locator(".st-key-widget_tensor_at_position input").click()
    page.get_by_role("option", name="4 cat").click()
    page.keyboard.press("Escape")
    expect(form).to_contain_text("112 of 560 numbers")
    number = form.get_by_label("To the number")
    number.fill("zero")
    number.press("Enter")
    expect(form).to_contain_text("“zero” is not a number")
    number.fill("0")
    number.press("Enter")
    expect(form).to_contain_text("112 of 560 numbers")
    form.get_by_role("button", name="Apply").click()
    expect(form).to_contain_text("112 of the 560 numbers in memory are other ones now")
    page.wait_for_url("**edits=set*")
    box = form.get_by_role("combobox").first
    box.fill("encoder/*/feed_forward/output")
    box.press("Enter")
    expect(form).to_contain_text("224 of 1,120 numbers")
    box = form.get_by_role("combobox").first
    box.fill("no/such/address")
    box.press("Enter")
    expect(form).to_contain_text("Nothing is recorded at no/such/address")


def test_the_padded_batch(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", "switches=batch&kind=cross&layer=2&head=1")
    rows = page.locator("[class*=st-key-batch_rows--] tr.line")
    expect(rows).to_have_count(4)
    expect(rows.nth(0).locator(".number").nth(0)).to_have_text("≈ 0")
    words = page.locator(".batch-words")
    expect(words).to_contain_text("猫")
    rows.nth(2).click()
    expect(words).to_contain_text("茶")
    page.wait_for_url("**row=3*")
    page.get_by_text("Source mask", exact=True).click()
    page.wait_for_url("**edits=padding_off*")
    expect(rows.nth(2).locator(".number.moved").nth(0)).to_have_text(re.compile(r"0\.\d+"))
    expect(rows.nth(2).locator(".chip.pad.seen")).not_to_have_count(0)
    expect(rows.nth(3).locator(".number").nth(0)).to_have_text("≈ 0")
    text = page.get_by_label("Sentences, one a line")
    text.fill("I have a dog\nПривет\nI love my cat and my dog")
    text.press("Control+Enter")
    expect(rows).to_have_count(2)
    expect(page.locator("[class*=st-key-batch_bad--]")).to_contain_text("Line 2, “Привет”")
    expect(words).to_contain_text("狗")
    heights = "all => all.map((one) => one.getBoundingClientRect().top)"
    place = page.locator("[class*=st-key-batch_picture--]")
    before = place.evaluate_all(heights)
    page.get_by_text("Source mask", exact=True).click()
    expect(page.locator(".chip.pad.seen")).to_have_count(0)
    driver.wait_until_idle(page)
    assert place.evaluate_all(heights) == before


def test_the_chosen_sentence_of_many_is_in_sight(open_page: Callable[..., Page]) -> None:
    lines = "%0A".join(["I+have+a+cat"] * 8)
    page = open_page("switch", f"switches=batch&row=8&batch={lines}")
    rows = page.locator("[class*=st-key-batch_rows--] tr.line")
    expect(rows).to_have_count(8)
    frame = page.locator("[class*=st-key-batch_rows--]").bounding_box()
    chosen = rows.nth(7).bounding_box()
    assert frame is not None and chosen is not None
    assert frame["y"] < chosen["y"]
    assert chosen["y"] + chosen["height"] <= frame["y"] + frame["height"] + 1
    page.mouse.move(chosen["x"] + 200, chosen["y"] + 5)
    page.mouse.wheel(0, -600)
    expect(rows.nth(0)).to_be_in_viewport()
    rows.nth(0).click()
    page.wait_for_url(re.compile(r"^(?!.*row=)"))
