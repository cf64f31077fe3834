"""Other people's models in the browser: their four pages draw, and nothing goes wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Playwright, expect

from tests.browser import driver
from tests.weights.folders import whole

KINDS = {
    "gpt2": "the cat sat",
    "llama 3": "the cat sat",
    "bert": "the cat ___",
    "t5": "the cat sat",
}
SHOWN = {  # a page and what it draws at its centre
    "attention": "[class*=st-key-attention_picture--] .js-plotly-plot",
    "vectors": "[class*=st-key-positions_picture--] .js-plotly-plot",
    "tensors": "[class*=st-key-tensors_telling--] canvas",
}


@pytest.fixture(scope="module")
def url(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("library")
    for kind in KINDS:
        (folder := root / kind.replace(" ", "-")).mkdir()
        whole(kind, folder)
    with driver.server(GLASSFORMER_MODELS=str(root)) as running:
        yield running.url


@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_every_kind(context: BrowserContext, url: str, kind: str) -> None:
    link = f"model={kind.replace(' ', '-')}&text={KINDS[kind].replace(' ', '+')}"
    decoding = (
        "[class*=st-key-blanks_candidates--]"
        if kind == "bert"
        else "[class*=st-key-timeline_words--]"
    )
    for path, centre in {**SHOWN, "decoding": f"{decoding} .js-plotly-plot"}.items():
        page = driver.open_page(context, f"{url}/{path}?{link}", width=1280, height=720)
        expect(page.locator(centre).first).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.close()


def test_a_pasted_text_keeps_its_lines(context: BrowserContext, url: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = driver.open_page(context, f"{url}/?model=gpt2&text=a%0Ab", width=1280, height=720)
    field = page.locator(".st-key-widget_sentence input")
    lines = page.locator(".lines .line")
    expect(field).to_have_value("a⏎b")
    field.press("Enter")  # nothing was changed
    field.press("Control+a")
    page.evaluate("navigator.clipboard.writeText('if x:\\r\\n  y\\n')")
    page.keyboard.press("Control+v")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("z")
    expect(field).to_have_value("if x:⏎  y⏎⏎z")
    assert lines.all_inner_texts() == ["if x:⏎", "  y⏎", "⏎", "z"]
    assert "text=a%0Ab" in page.url  # nothing was run
    field.press("Enter")
    expect(page.locator(".headline .given")).to_have_text("if x:⏎  y⏎⏎z")
    expect(lines.first).to_be_hidden()
    field.press("Control+a")
    page.keyboard.press("Control+x")
    expect(field).to_have_value("")
    assert page.evaluate("navigator.clipboard.readText()") == "if x:\n  y\n\nz"
    page.close()
