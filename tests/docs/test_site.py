"""The documentation site as `make docs` builds it: nothing from elsewhere, nothing lost."""

import re
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import sync_playwright

import glassformer
from glassformer.app.words import say
from scripts.docs.__main__ import build
from scripts.docs.errors import WORDS, kinds
from scripts.docs.gallery import blocks
from scripts.docs.pages import ELSEWHERE, ROOT, place_of
from tests.browser import driver

WRITTEN = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
COUNTED = ("pre", "table", "tr", "h2", "h3", "blockquote", "ol", "ul")
RUN = ("README.md", "docs/first-run.md", "docs/python.md", "docs/errors/index.md")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site; its build ends with an error where zensical warns of anything."""
    return build(tmp_path_factory.mktemp("docs"))


class Page(HTMLParser):
    """What a page of HTML loads by itself, and the elements of its article."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.elements: Counter[str] = Counter()
        self.ids: set[str] = set()
        self.words: list[str] = []
        self._depth = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names = ("href",) if tag == "link" else ("src", "srcset", "poster", "data")
        self.loaded += [given[name] or "" for name in names if name in given]
        self.loaded += re.findall(r"url\(([^)]*)\)", given.get("style") or "")
        if given.get("id"):
            self.ids.add(given["id"] or "")
        if tag == "article":
            self._depth += 1
        elif self._depth:
            self.elements[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "article"

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.words.append(data)


def page(site: Path, name: str) -> Page:
    return Page((site / name).with_suffix(".html").read_text("utf-8"))


def foreign(address: str) -> bool:
    return bool(re.match(r"\s*['\"]?(?:https?:)?//", address))


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 70
    found = {
        each.relative_to(site): lost
        for each in pages
        if (lost := [*filter(foreign, Page(each.read_text("utf-8")).loaded)])
    }
    assert not found
    sheets = "".join(each.read_text("utf-8") for each in site.rglob("*.css"))
    assert not [each for each in re.findall(r"(?:url\(|@import )([^);]*)", sheets) if foreign(each)]
    assert foreign("https://fonts.example/a.css") and foreign("//cdn.example/a.js")


@pytest.mark.slow
def test_it_opens_from_a_folder_and_finds(site: Path) -> None:
    """In a browser, without a server: what is asked for are files, and the search answers."""
    # In a thread of its own: other tests' Playwright may have its loop in this one.
    with ThreadPoolExecutor(1) as aside:
        asked = aside.submit(what_is_asked, site).result()
    assert not [each for each in asked if not each.startswith(("file:", "data:", "blob:"))]


def what_is_asked(site: Path) -> list[str]:
    """Every address that the gallery and the search ask for."""
    asked: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(**driver.launched())
        shown = chromium.new_page()
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto((site / "gallery.html").as_uri())
        frame = shown.locator("iframe[src='pictures/1.html']")
        frame.scroll_into_view_if_needed()
        inside = frame.content_frame.locator("iframe").first.content_frame
        inside.get_by_text("most probable words").first.wait_for()
        shown.keyboard.press("Control+k")
        shown.wait_for_timeout(500)
        shown.keyboard.type("load_model", delay=80)
        shown.locator("a[href*='tools/load_model']", has_text="bundled one's name").wait_for()
        chromium.close()
    return asked


def plain(text: str) -> str:
    """Without what Markdown or a break of lines puts between the words."""
    return " ".join(re.sub(r"[{}`\\]", "", text).split())


def test_every_public_name_has_a_page_that_says_what_it_takes(site: Path) -> None:
    index = plain("".join(page(site, "tools/index.md").words))
    for name in glassformer.__all__:
        text = plain("".join(page(site, f"tools/{name}.md").words))
        assert text.startswith(name) and name in index
        first = (getattr(glassformer, name).__doc__ or name).split("\n")[0]
        assert plain(first) in text, name
    refused = "".join(page(site, "tools/load_model.md").words)
    assert "name_or_folder" in refused and "Refuses" in refused


def test_every_error_is_on_the_page_of_its_kind_in_both_languages(site: Path) -> None:
    sentences = tomllib.loads((ROOT / "core/errors.toml").read_text("utf-8"))
    listed = [key for keys in kinds().values() for key in keys]
    assert sorted(listed) == sorted(sentences)
    said = tomllib.loads(WORDS.read_text("utf-8"))
    assert kinds().keys() <= said.keys(), "docs/errors/kinds.toml says something of each kind"
    assert all(each.keys() == {"cause", "see", "do"} for each in said.values())
    pages = [Page(each.read_text("utf-8")) for each in (site / "errors").glob("*.html")]
    assert not sentences.keys() - set().union(*(each.ids for each in pages))
    words = plain(" ".join("".join(each.words) for each in pages))
    for language in ("en", "zh"):
        told = (plain(_sentence(key, language)) for key in sentences)
        assert not [each for each in told if each not in words]


def _sentence(key: str, language: str) -> str:
    if language == "en":
        return str(glassformer.core.errors.MESSAGES[key])
    return str(say(f"errors.{key}", language))


def test_the_gallery_is_run_and_each_block_has_its_picture(site: Path) -> None:
    found = blocks((ROOT / "docs/gallery.md").read_text("utf-8"))
    assert len(found) >= 8
    for each in found:
        lines = [line for line in each.splitlines() if line.strip()]
        assert len(lines) <= 5, each
    shown = page(site, "gallery.md")
    pictures = [each for each in shown.loaded if each.startswith("pictures/")]
    assert len(pictures) == sum(".show." in each for each in found)
    for each in pictures:
        assert "glass" in (site / each).read_text("utf-8").lower()
    assert shown.elements["table"] >= len(found) - len(pictures)


@pytest.mark.parametrize("source", WRITTEN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_written_page_keeps_what_github_shows(site: Path, source: Path) -> None:
    """Counted with another reader of Markdown: nothing of a page falls out of its list or table."""
    text = source.read_text("utf-8")
    wanted = Counter(
        token.tag for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text)
        if token.nesting >= 0 and token.tag in {*COUNTED, "code"}
    )  # fmt: skip
    wanted["pre"] = wanted.pop("code", 0)
    name = place_of(source)
    found = page(site, name).elements
    for tag in COUNTED:
        more = found[tag] - wanted[tag]
        assert more == 0 or (more > 0 and _adds(name)), (tag, found[tag], wanted[tag])


def _adds(name: str) -> bool:
    """Pages to which the build adds something."""
    indices = {f"{each}/index.md" for each in ("errors", "tools", "reference", "notebooks")}
    return name in {"gallery.md", *indices}


@pytest.mark.parametrize("name", RUN)
def test_lines_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    found = blocks((ROOT / name).read_text("utf-8"))
    assert found
    for each in found:
        exec(each, names)


def test_the_readme_is_short_and_leads_to_every_page() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.count("\n") <= 150
    nav = (ROOT / "zensical.toml").read_text("utf-8")
    pages = {each.name for each in (ROOT / "docs").glob("*.md")}
    assert not [each for each in pages if f'"{each}"' not in nav]
    assert all((ROOT / each).exists() for each in ELSEWHERE)
