"""The notebook of a lecture runs, and its pictures hold the run's numbers."""

import base64
import json
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import numpy as np
import pytest

from glassformer.app import takeaway
from glassformer.app.runs.scenes import trace_of
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.trace import Trace
from tests.takeaway.lectures import LECTURE, SCENES, WEIGHTS

ROOT = Path(takeaway.__file__).parents[2]
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def executed() -> Any:
    """The notebook after all of its cells have run, in a kernel of its own."""
    book = nbformat.reads(takeaway.notebook(LECTURE, "en").decode(), as_version=4)
    book.cells.append(nbformat.v4.new_code_cell("trace.show.lens()"))
    nbformat.validate(book)
    client = nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(ROOT)}})
    return client.execute()


def outputs(book: Any) -> list[Any]:
    return [each for cell in book.cells if cell.cell_type == "code" for each in cell.outputs]


def state(book: Any, output: Any) -> dict[str, Any]:
    held: dict[str, Any] = book.metadata.widgets["application/vnd.jupyter.widget-state+json"][
        "state"
    ]
    return held[output.data[VIEW]["model_id"]]


def data(book: Any, output: Any) -> dict[str, Any]:
    """What a picture is drawn from."""
    (sent,) = (each for each in state(book, output)["buffers"] if each["path"] == ["data"])
    found: dict[str, Any] = json.loads(base64.b64decode(sent["data"]))
    return found


def test_it_says_the_translations(executed: Any) -> None:
    printed = "".join(each.text for each in outputs(executed) if each.get("name") == "stdout")
    for scene in SCENES[:4]:
        assert trace_of(scene, "en").output_text in printed
    assert not [each for each in outputs(executed) if each.get("name") == "stderr"]


def test_its_pictures_hold_the_numbers(executed: Any) -> None:
    kinds = [{VIEW, "text/html"} & set(each.get("data", ())) for each in outputs(executed)]
    assert len([each for each in kinds if each]) == len(SCENES) + 1
    pictures = [each for each in outputs(executed) if VIEW in each.get("data", {})]
    weights = trace_of(SCENES[0], "en")[WEIGHTS][0, 0].numpy()
    drawn = data(executed, pictures[0])["figure"]["data"][0]["z"]
    found = np.frombuffer(base64.b64decode(drawn["bdata"]), drawn["dtype"]).reshape(weights.shape)
    assert np.abs(found - weights).max() < 1e-4
    assert state(executed, pictures[0])["state"]["height"] > 100


def test_a_panel_is_seen_where_no_widgets_run(executed: Any) -> None:
    html = outputs(executed)[-1].data["text/html"]
    assert html.startswith("<iframe") and "data-alone" in html


def test_the_answer_is_computed_by_its_cell(executed: Any) -> None:
    (cell,) = (each for each in executed.cells if "trace.pick(" in each.source)
    number = float(cell.outputs[0].data["text/plain"].split("(")[1].rstrip(")"))
    assert f"{100 * number:.1f}%" in cell.source


def test_words_of_a_lecture_are_words() -> None:
    book = json.loads(takeaway.notebook(LECTURE, "en"))
    told = [cell["source"] for cell in book["cells"] if cell["cell_type"] == "markdown"]
    assert not any("<script" in each.replace("\\<script", "") for each in told)
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            compile(cell["source"], "cell", "exec")


def test_in_chinese() -> None:
    book = takeaway.notebook(LECTURE, "zh").decode()
    assert "一个讲座" in book and "it 有多少看向 animal？" in book


def test_what_cannot_be_drawn_is_refused() -> None:
    from glassformer.app.takeaway import widgets

    trace: Trace = trace_of(SCENES[0], "en")
    for wrong in ({"address": "nosuch"}, {"address": WEIGHTS, "head": 9},
                  {"address": WEIGHTS, "feature": 0}):  # fmt: skip
        with pytest.raises(GlassformerError):
            widgets.show(trace, **wrong)  # type: ignore[arg-type]
    with pytest.raises(GlassformerError):
        widgets.lines_widget(trace, layer=7)
    with pytest.raises(ValueError, match="theme"):
        widgets.lines_widget(trace, theme="blue")


def test_what_tools_find_is_drawn_by_the_same_component() -> None:
    from glassformer.app.takeaway import widgets

    trace: Trace = trace_of(SCENES[0], "en")
    picture = trace.sel(WEIGHTS, head=0).show()
    assert isinstance(picture, widgets.Chart)
    figure = json.loads(picture.data)["figure"]
    drawn = figure["data"][0]["z"]
    weights = trace[WEIGHTS][0, 0].numpy()
    found = np.frombuffer(base64.b64decode(drawn["bdata"]), drawn["dtype"]).reshape(weights.shape)
    assert np.abs(found - weights).max() < 1e-6
    assert all(word in json.dumps(figure, ensure_ascii=False) for word in trace.source_tokens[:3])
    assert "<table" in trace.sel(WEIGHTS).show().html  # all heads: a table each
