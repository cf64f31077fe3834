"""A folder and a line are a panel: toy ones, on their pages and wherever panels are known."""

from pathlib import Path

import pytest

from tests.checkout import copy_checkout, run_in

LINES = {"vectors/toy": 'VECTORS = ("positions", ', "lab/toy_bench": "LAB = (\n    "}
TOY = {
    "__init__.py": '''
"""How long the vectors of the encoder's output are."""
from glassformer.app.panels.panel import Panel
PANEL = Panel(__name__, title="toy.name", top="toy.top", fullest={"token": "source:2"},
              tensors=("memory",))
''',
    "figures.py": '''
"""The lengths as bars."""
from glassformer.app.plots import drawing as go
from glassformer.app.plots.theme import base_layout
def lengths_figure(lengths, look):
    return go.Figure([go.Bar(y=lengths)], base_layout(look))
''',
    "panel.py": '''
"""The panel."""
from glassformer.app.pages.vectors.toy.figures import lengths_figure
from glassformer.app.runs import on_screen
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.words import say
def show():
    lengths = on_screen.trace_on_screen()["memory"][0].norm(dim=-1).tolist()
    show_chart(lengths_figure(lengths, current_look()), "toy", say("toy.alt"))
''',
    "en.toml": '[toy]\nname = "Toy"\ntop = "Long & short"\nalt = "Lengths"\n',
    "zh.toml": '[toy]\nname = "玩具"\ntop = "长短"\nalt = "长度"\n',
}
BENCH = {
    "__init__.py": '''
"""A number, doubled."""
from glassformer.app.panels.panel import Panel
PANEL = Panel(__name__, title="lab_toy_bench.name", top="lab_toy_bench.title",
              group="lab.group_weights", fullest={"inputs": "toy_bench:number,'4"})
''',
    "panel.py": '''
"""The bench."""
from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.toy_bench.figures import doubled_figure
from glassformer.app.ui.chart import current_look
from glassformer.core.lab.inputs import read_number
FIELDS = (Field("number", "n", 3, "slider", low=1, high=9, step=1),)
def show():
    kit.draw_bench_head("toy_bench")
    found = kit.compute_from_inputs("toy_bench", FIELDS, double).result
    kit.draw_chart("toy_bench", doubled_figure(found, current_look()))
def double(number):
    return 2 * read_number("number", number, 1, 9)
''',
    "figures.py": '''
"""One bar."""
from glassformer.app.plots import drawing as go
from glassformer.app.plots.theme import base_layout
def doubled_figure(number, look):
    return go.Figure([go.Bar(y=[number])], base_layout(look))
''',
    "en.toml": '[lab_toy_bench]\nname = "Toy"\ntitle = "Why twice?"\nabout = "So."\nalt = "Bar"\n',
    "zh.toml": '[lab_toy_bench]\nname = "玩具"\ntitle = "为何两倍？"\nabout = "此"\nalt = "条"\n',
}
# What the page shows of it, what *Save…* and a page to take home have, what is tested of it.
SEEN = """
import sys
from streamlit.testing.v1 import AppTest
from glassformer.app.takeaway import draw
from glassformer.app.ui import scripts
from tests.app.widgets.test_parts import EVERY
from tests.browser import test_everybody, test_layout, test_link
from tests.opened_app import opened
from tests.sent import data_of

LINK = {"vectors": "toy", "token": "source:2"}
for language, name, top in (("en", "Toy", "Long &amp; short"), ("zh", "玩具", "长短")):
    app = opened("vectors", language=language, **LINK)
    assert name in app.segmented_control(key="widget_vectors_vectors").options
    assert any(top in each.proto.body for each in app.get("html"))
    assert [each.proto.id for each in app.get("plotly_chart") if each.proto.id.endswith("toy")]
    app.button("widget_saving").click().run()
    assert app.selectbox("widget_saving_tensor").value == "memory"
app = opened("vectors", second="I like you", **LINK)  # it has no picture of two runs
assert [each.proto.id for each in app.get("plotly_chart") if each.proto.id.endswith("toy")]
page, query = test_link.SCREENS["vectors_toy"]
assert page == "vectors" and query.items() >= LINK.items()
assert test_everybody.SCREENS["full-vectors_toy"] == (page, query)
assert {"vectors": "toy"} in test_layout.TABS["vectors"]
assert {"toy", "toy_bench"} < {panel.id for panel in EVERY}

BENCH = {"lab": "toy_bench", "inputs": "toy_bench:number,'4"}
for language, tile in (("en", ("Toy", "Why twice?")), ("zh", ("玩具", "为何两倍？"))):
    (first, *_), *_ = (group["tiles"] for group in data_of(
        opened("lab", language=language), "tiles")["groups"])
    assert (first["bench"], (first["name"], first["question"])) == ("toy_bench", tile)
    app = opened("lab", language=language, **BENCH)
    assert app.selectbox(key="widget_lab_bench").value == "toy_bench"
    (chart,) = app.get("plotly_chart")
    assert '"y":[8' in chart.proto.spec
assert test_link.SCREENS["lab_toy_bench"] == ("lab", BENCH)
assert test_everybody.SCREENS["full-lab_toy_bench"] == ("lab", BENCH)
assert {"lab": "toy_bench"} in test_layout.TABS["lab"]
with scripts.serve_scripts():
    found = draw.draw_screen("vectors", LINK)
    bench = draw.draw_screen("lab", BENCH)
assert "toy" in [part["key"] for part in found["screen"]["parts"]]
assert "lab_toy_bench_chart" in [part["key"] for part in bench["screen"]["parts"]]
"""


@pytest.mark.slow
def test_a_panel_is_a_folder_and_a_line(tmp_path: Path) -> None:
    copy_checkout(tmp_path)
    state = tmp_path / "app" / "session" / "state.py"
    for (place, line), files in zip(LINES.items(), (TOY, BENCH), strict=True):
        folder = tmp_path / "app" / "pages" / place
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text.lstrip(), "utf-8")
        source = state.read_text("utf-8")
        assert source.count(line) == 1
        state.write_text(source.replace(line, f'{line}"{folder.name}", '), "utf-8")
    run_in(tmp_path, "-c", SEEN)
