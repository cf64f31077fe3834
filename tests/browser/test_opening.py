"""Opening real files with the mouse: saved, opened in a new window, the same numbers on screen."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.opening.kinds import MOST_BYTES
from tests.browser import driver
from tests.opened_files import SENTENCE, model_file, run_file, with_header

ADDRESS = "encoder/0/self_attention/scores"
QUERY = f"address={ADDRESS}&text=I+love+you&direction=en-zh"
LINE = ".st-key-stage_file"
DROP = """([name, data, size]) => {
  const bytes = data === null
    ? new Uint8Array(size) : Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  const held = new DataTransfer();
  held.items.add(new File([bytes], name));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    if (kind === "drop") window.hintSeen = document.querySelector(".file-drop-hint")?.textContent;
    const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: held });
    document.querySelector(".stMain").dispatchEvent(event);
  }
}"""


def choose(page: Page, path: Path) -> None:
    """Press “Open…” and choose a file in the dialog."""
    if not page.get_by_role("dialog").count():
        page.locator(".st-key-widget_open_file button").first.click()
    with page.expect_file_chooser() as chooser:
        page.locator(".st-key-open_file section button").first.click()
    chooser.value.set_files(path)


def drop(page: Page, name: str, data: bytes | None, size: int = 0) -> None:
    """Drop a file in the middle of the page; without data one of so many zeros."""
    page.wait_for_selector('body[data-drops="heard"]', state="attached")
    page.evaluate(DROP, [name, None if data is None else base64.b64encode(data).decode(), size])


def statistics(page: Page) -> list[str]:
    """The smallest, largest and mean number of the tensor in view, to nine digits."""
    script = """() => [...document.querySelectorAll("[class*=st-key-tensors_statistics--] td")]
      .map((cell) => cell.title)"""
    found: list[str] = driver.read(page, script)
    return found


def test_a_saved_run_is_opened_and_shows_the_same_numbers(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_page("tensors", QUERY)
    shown = statistics(page)
    assert shown
    with page.expect_download() as saved:
        page.locator(".st-key-download_run button").first.click()
    path = tmp_path / "run"  # a name that tells nothing
    saved.value.save_as(path)
    other = open_page("tensors", f"address={ADDRESS}")
    assert statistics(other) != shown
    choose(other, path)
    expect(other.locator(LINE)).to_contain_text("File run, computed by translator")
    expect(other.get_by_role("dialog")).to_have_count(0)
    assert statistics(other) == shown
    assert "text=I+love+you" in other.url
    other.locator(".st-key-widget_leave_file button").first.click()
    expect(other.locator(LINE)).to_have_count(0)
    assert "text=I+love+you" not in other.url


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_is_dropped_anywhere(open_page: Callable[..., Page], language: str) -> None:
    page = open_page("attention", f"language={language}")
    drop(page, "<b>a run</b>.zip", with_header(run_file(), model_name="elsewhere"))
    expect(page.locator(LINE)).to_contain_text("<b>a run</b>.zip")
    assert page.evaluate("window.hintSeen") == say("opening.drop", language)
    assert page.locator(".file-drop-hint").count() == 0
    assert page.locator(".st-key-widget_sentence input").input_value() == SENTENCE
    page.get_by_role("link", name=say("frame.switch", language)).click()
    expect(page.locator(".st-key-switch_instead")).to_contain_text("elsewhere")
    drop(page, "mine", model_file("my own"))
    expect(page.locator(LINE)).to_have_count(0)  # another model is asked for: computed anew
    expect(page.locator(f".st-key-widget_model_{language} input")).to_have_value("my-own")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_cannot_be_opened_is_told_in_the_dialog(
    open_page: Callable[..., Page], tmp_path: Path, language: str
) -> None:
    page = open_page("attention", f"language={language}")
    alert = page.get_by_test_id("stAlert")
    picture = tmp_path / "run.safetensors"
    picture.write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    choose(page, picture)
    expect(alert).to_have_text(say("errors.file_foreign", language))
    cut = tmp_path / "cut"
    cut.write_bytes(run_file()[:-50])
    choose(page, cut)
    expect(alert).to_have_text(say("errors.file_damaged", language))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    drop(page, "large", None, max(MOST_BYTES.values()) + 2**20)
    expect(alert).to_have_text(say("errors.file_large", language, given="33.0 MB", limit="32.0 MB"))
    assert not any("upload_file" in url for url in sent)  # it never left the browser
    good = tmp_path / "good"
    good.write_bytes(run_file())
    choose(page, good)
    expect(page.locator(LINE)).to_contain_text("good")
    expect(page.get_by_role("dialog")).to_have_count(0)
