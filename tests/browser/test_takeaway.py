"""What was taken home, opened from the file with the network off; the notebook's widgets drawn."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Frame, Page, Route

from glassformer.app import takeaway
from glassformer.app.runs.scenes import trace_of
from glassformer.app.session.languages import LANGUAGES
from glassformer.core.analysis.residual_stream import stream_depth
from glassformer.core.lectures.read import bundled_lectures, load_lecture
from tests.takeaway.lectures import HOSTILE, LECTURE, SCENES, WEIGHTS

Opened = Callable[..., Page]


@pytest.fixture(scope="module", params=LANGUAGES)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("taken") / f"{request.param}.html"
    path.write_bytes(takeaway.page(LECTURE, request.param))
    return path


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """A page from a file; whatever it asks for or complains of fails the test.

    at_once: without the rests between screens that nobody looks at, as for paper.
    """
    asked: list[str] = []
    contexts = []

    def open_one(
        path: Path, theme: str = "light", width: int = 1280, at_once: bool = False
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=theme, offline=True
        )  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda said: asked.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: asked.append(str(error)))
        page.goto(path.as_uri())
        if at_once:
            page.evaluate("void openAll()")
        wait_until_drawn(page)
        assert asked.pop(0) == path.as_uri()
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert asked == []


def wait_until_drawn(page: Page | Frame) -> None:
    end = time.monotonic() + 60
    wanted = page.locator(".picture").count()
    while page.locator(".picture[data-state='drawn']").count() < wanted:
        assert page.locator(".picture[data-state='failed']").count() == 0
        assert time.monotonic() < end
        page.wait_for_timeout(50)


def frame_of(page: Page | Frame, name: str) -> Frame:
    held = page.query_selector(f"#{name} iframe, [data-screen={name}] iframe")
    found = held and held.content_frame()
    assert found
    return found


def cells(frame: Frame, key: str) -> np.ndarray:
    """The numbers of a heat map as the page has drawn them; of greyed words, too."""
    parts: list[Any] = frame.evaluate(
        """(key) => document.querySelector(`.st-key-${key} .chart-place`).data
          .filter((each) => each.type === "heatmap").map((each) => each.z)""",
        key,
    )
    arrays = [np.array(part, dtype=float) for part in parts]
    return np.nanmax(np.stack([each for each in arrays if each.shape == arrays[0].shape]), axis=0)


def test_numbers_paper_and_what_only_the_app_can_answer(file: Path, opened: Opened) -> None:
    page = opened(file)
    frame = frame_of(page, "weights")
    weights = trace_of(SCENES[0], file.stem)[WEIGHTS][0, 0].numpy()
    assert np.abs(cells(frame, "attention_large") - weights).max() < 1e-4
    paper = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == len(SCENES)  # one scene a page
    assert page.locator(".alive").count() == 0  # nobody has asked for anything
    frame.locator(".st-key-head_grid button").nth(1).click()
    said = page.locator(".picture .alive").inner_text()
    assert said == page.locator("body").get_attribute("data-alive") != ""


def test_texts_are_words_and_screens_are_drawn(file: Path, opened: Opened) -> None:
    page = opened(file, theme="dark")
    if file.stem == "en":
        assert page.title().split() == HOSTILE.split()
        assert page.locator("h1").inner_text().split() == HOSTILE.split()
    assert page.locator(".missing").count() == 1
    words = frame_of(page, "words")
    assert "I love" in words.locator("body").inner_text()
    assert words.locator(".st-key-word_lines .chip").count() > 10
    assert words.evaluate("document.querySelectorAll('script').length") < 20
    assert frame_of(page, "walk").locator(".walk-formula math").count() > 1
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == words.evaluate(ground) == "rgb(14, 17, 23)"


def test_the_theme_is_switched_in_all_frames_and_light_on_paper(file: Path, opened: Opened) -> None:
    page = opened(file)
    page.locator("#theme").click()
    wait_until_drawn(page)
    ground = "getComputedStyle(document.body).backgroundColor"
    assert {frame.evaluate(ground) for frame in page.frames} == {"rgb(14, 17, 23)"}
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    turned = page.locator(".picture iframe").first.evaluate(
        "(each) => getComputedStyle(each).filter"
    )
    assert turned == "invert(1) hue-rotate(180deg)"


def test_on_a_phone_nothing_is_wider_than_the_screen(file: Path, opened: Opened) -> None:
    page = opened(file, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    frame = frame_of(page, "weights")
    assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("at", "name"), [*enumerate(bundled_lectures())])
def test_every_bundled_lecture(at: int, name: str, opened: Opened, tmp_path: Path) -> None:
    lecture = load_lecture(name)
    language = lecture.languages[at % len(lecture.languages)]
    path = tmp_path / f"{name}.html"
    path.write_bytes(takeaway.page(lecture, language))
    assert path.stat().st_size < 6_000_000
    page = opened(path, at_once=True)
    assert page.locator(".missing").count() == 0
    assert page.locator(".picture").count() == len(lecture.scenes)
    paper = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == len(lecture.scenes)


# What a notebook gives a widget: its values, and messages to and from Python.
_NOTEBOOK = """async ([module, state, script]) => {
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const held = { ...state, data: new DataView(bytes(state.data).buffer) };
  const hearing = new Map();
  const model = {
    get: (name) => held[name],
    set: (name, value) => { held[name] = value; },
    save_changes: () => { window.saved = held.sent; },
    on: (event, act) => hearing.set(event, act),
    off: (event) => hearing.delete(event),
    send: ({ wants }) => wants && setTimeout(() => hearing.get("msg:custom")({ has: wants },
      [new DataView(bytes(script).buffer)])),
  };
  const place = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: widget } = await import(place);
  window.leave = await widget.render({ model, el: document.body });
}"""


def drawn_widget(page: Page, widget: Any) -> None:
    from base64 import b64encode

    from glassformer.app.ui.scripts import plotly_script

    kept = {"height": widget.height, "draws": widget.draws, "colours": widget.colours,
            "data": b64encode(widget.data).decode()}  # fmt: skip
    page.evaluate(_NOTEBOOK, [str(widget._esm), kept, b64encode(plotly_script()).decode()])


def test_the_widgets_of_a_notebook(browser: Browser) -> None:
    from glassformer.app.takeaway import widgets

    trace = trace_of(SCENES[0], "en")
    page = browser.new_page(viewport={"width": 900, "height": 700})
    drawn_widget(page, widgets.lines_widget(trace))
    assert page.locator(".chip").count() == len(trace.source_tokens) + len(trace.output_tokens)
    page.locator(".chip", has_text="animal").click()
    assert page.evaluate("window.saved.value.place") == trace.source_tokens.index("animal")
    drawn_widget(page, widgets.show(trace, WEIGHTS, head=0))
    page.wait_for_selector(".chart-place[data-chart='drawn']")
    sent = page.evaluate(
        "[...document.querySelector('.chart-place')._fullData[0].z].map((r) => [...r])"
    )
    assert np.abs(np.array(sent) - trace[WEIGHTS][0, 0].numpy()).max() < 1e-4
    page.evaluate("window.leave()")
    assert page.locator(".chart-place").count() == 0
    page.close()


def test_a_panel_in_a_notebook_is_as_high_as_what_it_shows(browser: Browser) -> None:
    from glassformer.app.takeaway import widgets  # noqa: F401 – gives every run `.show`

    trace: Any = trace_of(SCENES[0], "en")
    page = browser.new_page(viewport={"width": 900, "height": 700})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(str(error)))
    page.set_content(f"<!doctype html><body>{trace.show.stream()._repr_html_()}</body>")
    outer = page.wait_for_selector("iframe")
    inside = outer and outer.content_frame()
    assert outer and inside
    wait_until_drawn(inside)
    assert frame_of(inside, "screen-0").locator(".js-plotly-plot .scatterlayer").count()
    box = outer.bounding_box()
    assert box and box["height"] == inside.evaluate("document.documentElement.scrollHeight")
    assert inside.evaluate("document.documentElement.scrollWidth") <= box["width"]
    assert asked == []
    page.close()


def test_a_result_and_a_panel_are_drawn_in_a_frame_of_colab(browser: Browser) -> None:
    """In frames of another origin that may run scripts; no widget and no kernel answers there."""
    trace: Any = trace_of(SCENES[0], "en")
    grid = trace.sel(WEIGHTS, head=0)
    shown = [grid._repr_html_(), trace.show.stream()._repr_html_()]
    how = 'sandbox="allow-scripts allow-same-origin" width="880" height="800"'
    book = "".join(f'<iframe {how} src="https://output.test/{at}"></iframe>' for at in range(2))
    pages = {"https://book.test/": book}
    pages |= {f"https://output.test/{at}": html for at, html in enumerate(shown)}
    page = browser.new_page(viewport={"width": 900, "height": 1700})
    asked: list[str] = []

    def answer(route: Route) -> None:
        html = pages.pop(route.request.url, None)  # each once; whatever else is asked for is wrong
        if html is None:
            asked.append(route.request.url)
            route.abort()
        else:
            route.fulfill(body=f"<!doctype html>{html}", content_type="text/html; charset=utf-8")

    page.route("**/*", answer)
    page.on("pageerror", lambda error: asked.append(str(error)))
    page.goto("https://book.test/")
    table, panel = (each.content_frame() for each in page.query_selector_all("iframe"))
    assert table and panel
    places = table.locator("td[title]")
    drawn = places.evaluate_all("found => found.map(each => [each.title, each.textContent])")
    values = grid.values.reshape(-1)
    assert np.abs(np.array([float(title) for title, _ in drawn]) - values).max() < 1e-8
    assert [text for _, text in drawn] == [f"{value:.2g}" for value in values]
    assert places.first.is_visible() and places.last.is_visible()
    inner = panel.wait_for_selector("iframe")
    inside = inner and inner.content_frame()
    assert inside
    wait_until_drawn(inside)
    sent = frame_of(inside, "screen-0").evaluate(
        "() => document.querySelector('.js-plotly-plot')._fullData.flatMap((each) => [...each.y])"
    )
    lengths = np.sort(stream_depth(trace, "encoder").lengths, axis=None)  # of all words and places
    assert np.sort([each for each in sent if each is not None]) == pytest.approx(lengths, rel=1e-4)
    assert asked == [] and pages == {}
    page.close()
