"""Chat templates in the app: the switch beside the sentence, its link, what is sent, refusals."""

import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.panels.address_words import run_lines
from glassformer.app.runs.models import get_model
from glassformer.core.analysis.export import run_bytes
from glassformer.core.interventions.heads import HeadsOff
from glassformer.core.weights.opened_model import open_model
from tests.app.test_other_models import said
from tests.opened_app import drawn, memory, on_screen, opened, state_of
from tests.opened_files import open_in
from tests.sent import data_of
from tests.weights.test_chat import IN_TURNS, folder_of, of_transformers

TEXT, OTHER = "I like\ncats. ``` $x$", "I have a cat"


@pytest.fixture(scope="module", autouse=True)
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("chats")
    folder_of(root / "chatty", IN_TURNS)
    folder_of(root / "plain")
    folder_of(root / "refuses", "{{ raise_exception('Only for tools.') }}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_MODELS", str(root))
        yield root


def sent_ids(app: AppTest) -> list[int]:
    """What the model got, without what it wrote."""
    trace = drawn(app)
    found: list[int] = trace["target/ids"][0, : trace.given + 1].tolist()
    return found


def test_the_switch_sends_the_text_in_its_template(root: Path) -> None:
    app = opened(model="chatty", text=TEXT)
    assert not app.toggle(key="widget_chat").value and drawn(app).sent == ""
    app.toggle(key="widget_chat").set_value(True).run()
    text, ids = of_transformers(root / "chatty", TEXT)
    assert (drawn(app).sent, sent_ids(app)) == (text, ids)
    assert drawn(app).source_text == TEXT and state_of(app).to_query()["chat"] == "on"
    shown = text.replace("\n", "⏎")
    assert data_of(app, "headline")["parts"][0] == [shown, True]
    about = app.toggle(key="widget_chat").proto.help
    assert shown.replace("⏎", "⏎\n") in about and "````text" in about
    app.toggle(key="widget_chat").set_value(False).run()
    assert drawn(app).sent == "" and "chat" not in state_of(app).to_query()


def test_all_runs_of_the_screen_go_through_it(root: Path) -> None:
    switch = HeadsOff("decoder/0/self_attention", (0,)).text
    app = opened("switch", model="chatty", text=TEXT, second=OTHER, chat="on", edits=switch)
    pair = on_screen(app).pair
    assert pair is not None
    for trace, text in ((pair.first, TEXT), (pair.second, OTHER)):
        assert trace.sent == of_transformers(root / "chatty", text)[0] and trace.edits


def test_many_texts_and_patches_go_through_it(root: Path) -> None:
    app = opened("switch", switches="texts", model="chatty", text=TEXT, chat="on", texts=OTHER)
    app.button(key="texts_run").click().run()
    ((_, (found,)),) = memory(app).over_texts.items()
    plain, alone = (get_model("chatty", each).trace(OTHER) for each in ("chat", ""))
    written = [
        get_model("chatty").reading(run, run.output_ids[run.given :]).text for run in (plain, alone)
    ]
    assert found.result.plain == written[0] != written[1]
    asked = {"text": "I like 1", "second": "I like 2", "chat": "on"}
    app = opened("switch", switches="patching", model="chatty", **asked)
    ((_, tracing),) = memory(app).patched_runs.items()
    assert tracing.done == tracing.total
    grid, (_, ids) = tracing.grid("decoder"), of_transformers(root / "chatty", "I like 1")
    assert grid is not None and len(grid.tokens) >= len(ids)


def test_the_lines_of_python_compute_it_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("tensors", model="chatty", text=TEXT, chat="on")
    monkeypatch.chdir(root)
    names: dict[str, Any] = {}
    exec("\n".join(run_lines(drawn(app), state_of(app))), names)
    assert names["trace"].sent == drawn(app).sent != ""
    assert names["trace"].output_ids == drawn(app).output_ids


def test_a_saved_run_brings_the_switch_along(root: Path) -> None:
    run = open_model(root / "chatty").with_chat_template().trace(OTHER)
    app = opened("attention", text="I like you")
    open_in(app, "a run.bin", run_bytes(run))
    assert not app.error and drawn(app).sent == run.sent
    assert (state_of(app).model, state_of(app).chat, state_of(app).text) == ("chatty", "on", OTHER)


@pytest.mark.parametrize(
    ("model", "part"),
    [("refuses", "Only for tools"), ("plain", "plain has no chat template"), ("", "has no chat")],
)
def test_what_cannot_be_wrapped_is_sent_as_typed(model: str, part: str) -> None:
    app = opened("attention", model=model, text=OTHER, chat="on", head="2")
    assert part in said(app).replace("\\", "") and not app.exception
    assert drawn(app).sent == ""
    assert drawn(app).output_ids == get_model(model).trace(OTHER).output_ids
    app.button(key="widget_way_0").click().run()
    assert part not in said(app).replace("\\", "") and state_of(app).chat == "off"
    assert state_of(app).head == 1  # what was looked at stays


def test_a_refusal_is_said_in_the_readers_language() -> None:
    app = opened("attention", model="refuses", text=OTHER, chat="on", language="zh")
    assert "对话模板在这里不能用" in html.unescape(said(app))


def test_another_model_begins_without_it() -> None:
    app = opened(model="chatty", text=OTHER, chat="on")
    app.selectbox(key="widget_model_en").set_value("plain").run()
    assert state_of(app).chat == "off" and not drawn(app).sent
