"""What a lecturer shows most often, and how many clicks it is from the page as it opens."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from tests.browser import driver

BAR = """([chart, row]) => {
  const drawn = document.querySelector(`.st-key-${chart} .js-plotly-plot`);
  const box = drawn.querySelector(".nsewdrag").getBoundingClientRect();
  const { xaxis, yaxis } = drawn._fullLayout;
  return [box.left + xaxis.l2p(0.3), box.top + yaxis.l2p(row)];
}"""
Click = Callable[[Page, str], None]


@dataclass(frozen=True)
class Demonstration:
    """What is clicked, one after the other, and what is seen then, in words of any language.

    most: clicks that it may take. typed: into what was clicked last. path: where it begins.
    """

    name: str
    most: int
    clicks: tuple[Click, ...]
    seen: str
    text: str = ""
    typed: str = ""
    path: str = ""


def named(role: str, key: str, at: int = 0) -> Click:
    """A click on what a reader finds by its name."""

    def click(page: Page, language: str) -> None:
        found: Locator = page.get_by_role(role, name=say(key, language), exact=False)  # type: ignore[arg-type]
        found.nth(at).click()

    return click


def within(selector: str) -> Click:
    """A click on the first thing of a kind."""
    return lambda page, _: page.locator(selector).first.click()


def bar(chart: str, row: int) -> Click:
    """A click on a bar of a chart."""

    def click(page: Page, _: str) -> None:
        heard = f'.st-key-{chart} .js-plotly-plot[data-heard="yes"] .nsewdrag'
        page.wait_for_selector(heard, state="attached")
        x, y = driver.read(page, BAR, [chart, row])
        page.mouse.move(x + 3, y)
        page.mouse.move(x, y)
        expect(page.locator(f".st-key-{chart} .hovertext")).to_be_visible()
        page.mouse.click(x, y)

    return click


def go_to(page: str) -> Click:
    """A click on a page's name."""
    return named("link", f"frame.{page}")


HEADLINE = ".headline .text"
HEAD_3 = 'button.head[data-layer="1"][data-head="2"]'
Q_K_V = '[data-step="encoder.0.self_attention.project"]'
EYE_OF_IT = ".sources .row:nth-child(8) .eye"
READ_STREET, WRITTEN_STREET = ".sources .row:nth-child(6)", ".outputs .row:nth-child(4) .chip"
DEMONSTRATIONS = (
    Demonstration(
        "own sentence", 1, (named("textbox", "frame.sentence"),), HEADLINE, "我喜欢你",
        typed="I like you",
    ),
    Demonstration(
        "why this word", 1, (named("button", "translate.why"),), "[class*=st-key-attribution_left]"
    ),
    Demonstration(
        "what does head 3 do", 2, (go_to("attention"), within(HEAD_3)),
        f'{HEAD_3}[aria-pressed="true"]',
    ),
    Demonstration(
        "q k v of a word", 2, (go_to("walkthrough"), within(Q_K_V)),
        'figure[data-key$="self_attention/v:joined"]',
    ),
    Demonstration("mask a word", 1, (within(EYE_OF_IT),), f'{EYE_OF_IT}[aria-pressed="true"]'),
    Demonstration(
        "no positions", 2, (go_to("switch"), named("button", "experiments.no-positions.name")),
        "[class*=st-key-switch_effect]", "老鼠追了猫",
    ),
    Demonstration("shapes", 2, (), "svg[role=group]", "12 × 112"),
    Demonstration(
        "two sentences", 1, (within(".st-key-widget_second_open button"),),
        "[data-testid=stMain]", "太宽了",
    ),
    Demonstration(
        "GPT-2", 1, (within(".st-key-widget_door button"),), "[role=dialog]", "fetch gpt2"
    ),
    Demonstration(
        "head off", 1, (named("button", "switch_heads.turn_off"),),
        ".st-key-attention_off button[kind=primary]", path="attention",
    ),
    Demonstration(
        "temperature", 2, (within(".st-key-choices_panel [data-testid=stSlider]"),),
        ".st-key-choices_panel", "T = 1.5",
    ),
    Demonstration("untrained", 2, (go_to("training"),), "[data-testid=stMain]", "愿愿骨头骨头"),
    Demonstration(
        "another word", 2, (go_to("decoding"), bar("next_words", 1)), ".timeline-sentences mark"
    ),
    Demonstration(
        "where from", 2, (within(WRITTEN_STREET),), f"{READ_STREET} .weight", "0.53"
    ),
    Demonstration(
        "a famous sentence", 2,
        (named("button", "frame.examples"), within("text=too wide")),
        HEADLINE, "太宽",
    ),
)  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shown", DEMONSTRATIONS, ids=lambda shown: shown.name)
def test_a_demonstration_is_few_clicks_away(
    shown: Demonstration, language: str, open_page: Callable[..., Page]
) -> None:
    assert len(shown.clicks) <= shown.most
    page = open_page(shown.path, f"language={language}", width=1280, height=720)
    for click in shown.clicks:
        click(page, language)
        driver.wait_until_idle(page)
    if shown.typed:
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(shown.typed)
        page.keyboard.press("Enter")
    found = page.locator(shown.seen).first
    expect(found).to_be_visible()
    expect(found).to_contain_text(shown.text)
