"""The Switch page by mouse: take an example, see its word, its change by layer, switch back."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, expect

from glassformer import load_model
from glassformer.app.pages.switch.examples.panel import example_experiments
from glassformer.app.plots.labels import format_number, format_percent
from glassformer.app.ui.component import component_expression
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.effect import effect, measure_move
from tests.browser import driver

NOUN = 6  # the second 动物, that 马路 takes the place of
CHART = ".st-key-effect_by_layer .js-plotly-plot"
PLACE = """([row, column]) => {
  const chart = document.querySelector(".st-key-effect_by_layer .js-plotly-plot");
  const {xaxis2, yaxis2} = chart._fullLayout;
  const box = chart.getBoundingClientRect();
  const [x, y] = [xaxis2._offset + xaxis2.l2p(column), yaxis2._offset + yaxis2.l2p(row)];
  return [box.left + x, box.top + y];
}"""


def card(page: Page, name: str) -> Locator:
    return page.locator("button.card").filter(has_text=name)


def lines(page: Page) -> Locator:
    return page.locator(".table .line")


def numbers() -> tuple[str, str]:
    """Of the first example: the probability of the noun, before → after; how far its row moved."""
    example, model = example_experiments()[0], load_model()
    experiment, before = Experiment.from_text(example.edits), model.trace(example.text)
    after = run(experiment, model, example.text)
    forced = run(experiment, model, example.text, before.output_text)
    chances = effect(before, after, forced).lines[NOUN].probabilities
    assert chances is not None
    row = measure_move(before, forced, "output/probabilities").by_position[NOUN]
    return " → ".join(map(format_percent, chances)), format_number(float(row), 7)


def show(page: Page, view: str) -> None:
    page.locator(".st-key-effect_head").get_by_text(view, exact=True).click()


def test_an_example_its_word_its_change_by_layer_and_back(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", "text=I+like+you")
    expect(page.locator(".cards.gallery mark").first).to_have_text("动物")
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    card(page, "Turn “it” to the street").click()
    expect(page.locator(".sentence b")).to_have_text(["动物", "马路"])
    page.wait_for_url("**edits=heads_redirected*")
    expect(page.get_by_label("Sentence").first).to_have_value(re.compile("too tired"))
    changed = page.locator(".line.other")
    expect(changed).to_have_count(1)
    chances, way = numbers()
    expect(changed).to_contain_text(chances)
    expect(page.locator(".heading")).to_contain_text("Step 7")
    lines(page).nth(3).click()
    expect(page.locator(".heading")).to_contain_text("Step 4")
    page.wait_for_url("**word=4*")

    show(page, "By layer")
    expect(page.get_by_text("First change:")).to_contain_text("decoder/1/cross_attention/weights")
    page.wait_for_selector(f'{CHART}[data-heard="yes"] .nsewdrag', state="attached")
    x, y = driver.read(page, PLACE, [11, NOUN])
    page.mouse.move(x + 2, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{CHART} .hovertext")).to_contain_text("output/probabilities")
    expect(page.locator(f"{CHART} .hovertext")).to_contain_text(f"writes 动物: {way}")
    page.mouse.click(x, y)
    page.wait_for_url("**address=output%2Fprobabilities*")

    card(page, "Turn “it” to the street").click()
    expect(page.locator(".cards.gallery")).to_be_visible()
    page.wait_for_url(re.compile(r"^(?!.*edits=)"))
    expect(page.locator("button.card.chosen")).to_have_count(0)


def test_nothing_jumps_and_nothing_is_cut(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", "edits=heads_redirected:decoder/1/cross_attention,(),5,(6)")
    expect(lines(page)).to_have_count(11)
    boxes = page.locator(".effect, .next").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().toJSON())"
    )
    lines(page).nth(0).click()
    expect(page.locator(".heading")).to_contain_text("Step 1")
    driver.wait_until_idle(page)
    again = page.locator(".effect, .next").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().toJSON())"
    )
    assert again == boxes
    assert all(box["bottom"] <= 900 for box in boxes)
    fits = "all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)"
    assert page.locator(".scroll, .choices, .total").evaluate_all(fits)


def test_a_chinese_example_in_chinese_and_dark(open_page: Callable[..., Page]) -> None:
    page = open_page("switch", "language=zh", theme="dark")
    card(page, "无处可看：NaN").click()
    expect(page.get_by_text("最先变化")).to_contain_text("decoder/0/self_attention/mask")
    expect(page.locator(f"{CHART} pattern")).not_to_have_count(0)
    show(page, "逐词")
    expect(page.locator(".choices.is")).to_contain_text("NaN")
    expect(lines(page).first).to_contain_text("→ NaN")


CALLED_AGAIN = """(call) => {
  const place = document.body.appendChild(document.createElement("div"));
  const parentElement = place.attachShadow({ mode: "open" });
  const given = (name) => {
    const card = { id: "a", name, note: "", language: "en", results: [], sentences: ["a"] };
    const data = { groups: [{ title: "T", cards: [card] }], chosen: "", texts: {} };
    return { data, parentElement, setTriggerValue() {} };
  };
  const names = () => [...parentElement.querySelectorAll(".name")].map((each) => each.textContent);
  const [old, newer] = [call(given("old")), call(given("newer"))];
  const seen = [names()];
  old(); // it comes late
  seen.push(names());
  call(given("old"))(); // the call itself comes late, and is ended at once
  seen.push(names());
  place.remove();
  newer();
  seen.push(names());
  return seen;
}"""


def test_a_call_that_was_given_up_leaves_what_a_newer_one_drew(context: BrowserContext) -> None:
    """Streamlit makes the call it gave up all the same, before or after the newer one."""
    page = context.new_page()
    call = component_expression("example_cards")
    drawn = page.evaluate(f"() => ({CALLED_AGAIN})({call})")
    assert drawn == [["newer"], ["newer"], ["newer"], []]
    page.close()
