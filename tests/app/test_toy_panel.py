"""A folder and a line are a panel: a toy one, on its page and wherever panels are known."""

from pathlib import Path

import pytest

from tests.checkout import copy_checkout, run_in

LINE = 'VECTORS = ("positions", '
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
# What the page shows of it, what *Save…* and a page to take home have, what is tested of it.
SEEN = """
import sys
from streamlit.testing.v1 import AppTest
from glassformer.app.takeaway import draw
from glassformer.app.ui import scripts
from tests.app.widgets.test_parts import EVERY
from tests.browser import test_everybody, test_layout, test_link
from tests.opened_app import opened

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
assert "toy" in [panel.id for panel in EVERY]
with scripts.serve_scripts():
    found = draw.draw_screen("vectors", LINK)
assert "toy" in [part["key"] for part in found["screen"]["parts"]]
"""


@pytest.mark.slow
def test_a_panel_is_a_folder_and_a_line(tmp_path: Path) -> None:
    copy_checkout(tmp_path)
    folder = tmp_path / "app" / "pages" / "vectors" / "toy"
    folder.mkdir()
    for name, text in TOY.items():
        (folder / name).write_text(text.lstrip(), "utf-8")
    state = tmp_path / "app" / "session" / "state.py"
    source = state.read_text("utf-8")
    assert source.count(LINE) == 1
    state.write_text(source.replace(LINE, f'{LINE}"toy", '), "utf-8")
    run_in(tmp_path, "-c", SEEN)
