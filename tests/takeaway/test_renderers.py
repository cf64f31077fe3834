"""What is shown where no widgets run: by Colab's frames, and by marimo after its documentation.

tests/takeaway/test_notebook.py has Jupyter, in a kernel; tests/browser/test_takeaway.py draws one
of each in a frame that may nothing but run scripts.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter

import glassformer as gf
from glassformer.app.takeaway import widgets
from glassformer.app.takeaway.panel_pictures import panel_names
from glassformer.core.analysis.score_parts import score_parts
from glassformer.core.trace.results import WIDEST, Result, ResultGrid
from tests.browser.driver import ROOT

CLEAN, CORRUPT, TARGET = "the cat sleeps", "the dog sleeps", "猫睡觉"
CROSS = "decoder/1/cross_attention/weights"


@cache
def run() -> Any:
    return gf.load().run(CLEAN, target=TARGET)


@cache
def found() -> list[Result]:
    """One of every kind of result."""
    model, forced, both = gf.load(), {"target": TARGET}, {"targets": [TARGET] * 2}
    texts, metric = [CLEAN, CORRUPT], gf.logit_diff("猫", "狗", at=0)
    many = [
        f"the {who} {does}" for who in ("cat", "dog") for does in "sleeps runs eats sings".split()
    ]
    pair = (model, CLEAN, CORRUPT, metric)
    logits = gf.direct_logit_attribution(run(), "猫", "狗")
    return [
        run().sel(CROSS, head=0), run().sel(CROSS), logits, logits.by_head(), gf.logit_lens(run()),
        gf.ablate(model, texts, site="*/feed_forward/output", how="zero", **both),
        gf.patch(*pair, over=("layer", "head"), site="context", **forced),
        gf.path_patch(
            *pair, senders="encoder/0/*/context", receivers="decoder/1/cross_attention/k", **forced
        ),
        gf.attribution_patch(*pair, **forced), gf.attribution_patch(*pair, edges=True, **forced),
        gf.attribute(model, CLEAN, "猫", method="saliency", **forced),
        gf.head_scores(model, texts, **both),
        gf.probe(model, many, ["cat" in each for each in many], targets=[TARGET] * 8, controls=1),
        gf.tuned_lens.fit(model, texts, steps=1, **both),
        score_parts(run(), model.transformer, "encoder/0/self_attention", 0, 1, 1),
        run().show.trail("output/logits", row=1), model.generate(CLEAN, max_new_tokens=2),
    ]  # fmt: skip


def kinds_below(kind: type) -> set[type]:
    return {each for below in kind.__subclasses__() for each in {below, *kinds_below(below)}}


def sent_to_colab(shown: Any) -> dict[str, Any]:
    """What a kernel sends of the last line of a cell, text aside; Colab's is one of IPython."""
    data, _ = DisplayFormatter().format(shown)
    return data


def drawn_by_marimo(shown: Any) -> str:
    """The HTML that marimo takes, by its page on displaying objects.

    `_display_`, then `_mime_`, then `_repr_html_` before other methods of IPython's kind; HTML with
    a script of its own is put in a frame. Its own form for widgets is not told here.
    """
    assert not hasattr(shown, "_display_") and not hasattr(shown, "_mime_")
    html: str = shown._repr_html_()
    assert "<script" not in html  # no second frame around ours
    return html


class Asked(HTMLParser):
    """What HTML would load, and the pages of the frames in it."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[str] = []
        self.frames: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "srcdoc":
                self.frames.append(value or "")
            elif name in ("src", "srcset", "data", "action") or (name, tag) == ("href", "link"):
                self.places.append(value or "")
            if name == "style":
                self.places += re.findall(r"url\(", value or "")


def check_self_contained(html: str) -> None:
    asked = Asked()
    asked.feed(html)
    assert [each for each in asked.places if not each.startswith("data:")] == []
    assert not {"object", "embed", "base"} & asked.tags
    for frame in asked.frames:
        assert "default-src 'none'" in frame  # of its own accord it may load nothing
        check_self_contained(frame)


def words_of(html: str) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", html)


RENDERERS: list[Callable[[Any], str]] = [
    lambda shown: str(sent_to_colab(shown)["text/html"]), drawn_by_marimo,
]  # fmt: skip


@pytest.mark.parametrize("html_of", RENDERERS, ids=["colab", "marimo"])
def test_every_result_is_html_of_its_own(html_of: Callable[[Any], str]) -> None:
    results = found()
    known = {each for each in kinds_below(Result) if each.__module__.startswith("glassformer.")}
    assert {type(each) for each in results} == known
    for each in results:
        html = html_of(each)
        check_self_contained(html)
        assert escape(each.headline()) in html and "<table" in html, each.headline()
        if isinstance(each, ResultGrid):
            seen = each.values[..., :WIDEST]
            assert f'title="{float(np.nanmax(seen)):.9g}"' in html, each.headline()


@pytest.mark.parametrize("name", panel_names())
def test_every_panel_is_html_of_its_own(name: str) -> None:
    picture = getattr(run().show, name)()
    sent = sent_to_colab(picture)
    assert not [each for each in sent if "widget" in each]
    assert sent["text/html"] == drawn_by_marimo(picture)
    check_self_contained(sent["text/html"])
    assert b'class="missing"' not in picture.page


def test_a_widget_has_html_beside_it_with_the_same_numbers() -> None:
    masked = run().show("decoder/0/self_attention/weights", head=0)
    shown = [run().show(CROSS, head=0), run().show.lines(), run().sel(CROSS, head=0).show(), masked]
    for each in shown:
        assert isinstance(each, widgets.Picture)
        html = sent_to_colab(each)["text/html"]
        check_self_contained(html)
        assert "<table" in html and (each is masked or "cat" in html)
    weights = run()[CROSS][0]
    mean, first = (sent_to_colab(each)["text/html"] for each in (shown[1], shown[0]))
    assert f'title="{float(weights.double().mean(0)[0, 0]):.6g}'[:13] in mean
    assert f'title="{float(weights[0, 0, 0]):.6g}'[:13] in first
    assert "<td></td>" in sent_to_colab(masked)["text/html"]  # what is hidden has no number


def test_without_anywidget_it_is_html_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from glassformer.app import takeaway

    monkeypatch.delattr(takeaway, "widgets")
    monkeypatch.setitem(sys.modules, "glassformer.app.takeaway.widgets", None)
    shown = run().show(CROSS, head=0, theme="dark"), run().show.lines(), run().show.lines(0, 1)
    for each in shown:
        assert "<table" in each.html and "cat" in sent_to_colab(each)["text/html"]
    assert run().show.lens().page.startswith(b"<!doctype html")


MARIMO = f"""import marimo
app = marimo.App()

@app.cell
def _():
    import glassformer as gf
    run = gf.load().run({CLEAN!r}, target={TARGET!r})
    return gf, run

@app.cell
def _(run):
    run.sel({CROSS!r}, head=0)

@app.cell
def _(run):
    run.show.lens()

@app.cell
def _(run):
    run.show({CROSS!r})
"""


@pytest.mark.slow
def test_marimo_exports_a_result_a_panel_and_a_widget(tmp_path: Path) -> None:
    notebook, page = tmp_path / "notebook.py", tmp_path / "page.html"
    notebook.write_text(MARIMO, encoding="utf-8")
    command = [sys.executable, "-m", "marimo", "export", "html", str(notebook), "-o", str(page)]
    told = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=200,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    html = page.read_text(encoding="utf-8")
    session, _ = json.JSONDecoder().raw_decode(html, html.index('"session": ') + len('"session": '))
    shown = [each["data"]["text/html"] for cell in session["cells"] for each in cell["outputs"]
             if "text/html" in each["data"]]  # fmt: skip
    assert len(shown) == 3 and not any(cell["console"] for cell in session["cells"])
    grid, panel, widget = shown
    for html_there, html_here in ((grid, found()[0]._repr_html_()),
                                  (panel, run().show.lens()._repr_html_())):  # fmt: skip
        check_self_contained(html_there)
        assert words_of(html_there) == words_of(html_here)  # a last bit may differ in its process
    assert "<marimo-anywidget" in widget and "glassformer.app.takeaway.widgets.Chart" in html
