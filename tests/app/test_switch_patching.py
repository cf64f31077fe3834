"""The activation patching on the page, without a browser: its numbers, its words, its cells."""

import json
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.pages.switch.patching.panel import SUGGESTIONS, patch_at
from glassformer.core.interruption import StoppedError
from glassformer.core.interventions import Experiment, run
from glassformer.core.trace.tape import Edit
from tests.opened_app import opened, state_of

MODEL = load_model()
CAT, DOG = "I have a cat", "I have a dog"


def chart(app: AppTest) -> dict[str, Any]:
    charts = app.get("plotly_chart")
    spec: dict[str, Any] = json.loads(charts[0].proto.spec)
    return spec


def values(app: AppTest, panel: int) -> torch.Tensor:
    z = chart(app)["data"][panel]["hovertext"]
    shares = [
        [float(cell.split("<b>")[2].split("%")[0].replace("−", "-")) for cell in row] for row in z
    ]
    return torch.tensor(shares)


def markdown(app: AppTest) -> str:
    return "\n".join(each.value for each in app.markdown)


def test_a_cell_is_one_patched_run() -> None:
    app = opened("switch", switches="patching", text=CAT, second=DOG)
    plain = MODEL.trace(CAT)
    other = MODEL.trace(DOG, target=plain.output_text)
    row = 3  # 只 or 条
    words = [MODEL.tokenizer.vocabulary.id(each) for each in ("条", "只")]

    def score(logits: torch.Tensor) -> float:
        return (logits[0, row, words[0]] - logits[0, row, words[1]]).item()

    ends = score(plain["output/logits"]), score(other["output/logits"])
    for panel, address, line, place in (
        (0, "encoder/0/feed_forward_norm/output", 3, 3),
        (0, "encoder/0/self_attention/output", 1, 3),
        (1, "decoder/1/cross_attention/output", 6, 3),
        (1, "decoder/1/feed_forward/output", 7, 3),
    ):

        def patch(x: torch.Tensor, a: str = address, p: int = place) -> torch.Tensor:
            x[0, p] = other[a][0, p]
            return x

        single = MODEL.trace(CAT, target=plain.output_text, edits=[Edit(address, patch)])
        share = (score(single["output/logits"]) - ends[0]) / (ends[1] - ends[0])
        assert values(app, panel)[line, place].item() == pytest.approx(100 * share, abs=0.1)


def test_every_suggestion_can_be_swept_and_reads_its_own_word() -> None:
    watched = {"tired": "动物 → 马路", "city": "Beijing → Shanghai", "measure": "只 → 条",
               "learning": "机器 → 深度"}  # fmt: skip
    for name, (first, second) in SUGGESTIONS.items():
        app = opened("switch", switches="patching", text=first, second=second)
        assert not app.error and not app.info
        assert app.selectbox(key="widget_patching_watch").options[0].endswith(watched[name])
        assert len(chart(app)["data"]) == 2


def test_another_word_is_watched() -> None:
    app = opened("switch", switches="patching", text=CAT, second=DOG)
    box = app.selectbox(key="widget_patching_watch")
    assert len(box.options) > 1
    before = values(app, 1)
    box.select_index(1).run()
    assert state_of(app).watch == 4
    assert not torch.equal(values(app, 1), before)
    assert values(app, 0)[0, 3] == pytest.approx(100, abs=0.1)


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("I have a very nice dog", "same length"),
        (CAT, "same word"),
        ("Привет", "neither in English nor in Chinese"),
    ],
)
def test_what_cannot_be_swept_is_said_in_place(second: str, said: str) -> None:
    app = opened("switch", switches="patching", text=CAT, second=second)
    assert any(said in each.value for each in app.info)
    assert not app.get("plotly_chart")
    pills = app.button_group(key="widget_patching_pair")
    pills.set_value("measure").run()
    assert state_of(app).second == DOG
    assert len(app.get("plotly_chart")) == 1


def test_without_a_second_sentence_the_suggested_one_or_a_hint() -> None:
    app = opened("switch", switches="patching")
    assert app.text_input(key="widget_patching_second").value == SUGGESTIONS["tired"][1]
    app = opened("switch", switches="patching", text="I like you")
    assert any("Choose a pair" in each.value for each in app.info)


def test_a_patch_of_the_experiment_is_framed_and_told() -> None:
    patch = patch_at("encoder/1/feed_forward_norm/output", 3, DOG)
    app = opened("switch", switches="patching", text=CAT, edits=patch.text)
    after = run(Experiment((patch,)), MODEL, CAT).output_text
    assert after in markdown(app) and "条" in after
    frames = [each for each in chart(app)["layout"]["shapes"] if each.get("name") == "chosen"]
    assert [(each["x0"], each["y0"]) for each in frames] == [(2.5, 5.5)]
    plain = MODEL.trace(CAT)
    before = plain["output/probabilities"][0, 3, MODEL.tokenizer.vocabulary.id("条")].item()
    assert before < 0.001 and "<0.1%" in markdown(app)
    app.button(key="patching_effect").click().run()
    now = state_of(app)
    assert (now.switches, now.second, now.address) == ("tensors", "", patch.address)
    assert now.edits == patch.text
    assert app.text_input(key="widget_tensor_sentence").value == DOG
    assert app.button(key="tensor_apply").label == "Take out"


def test_it_goes_on_where_the_reader_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    from glassformer.app.pages.switch.patching import panel as patching

    seen: list[int] = []
    first = patching.tracings.causal_tracing

    def short(*given: Any) -> Any:
        for found in first(*given):
            yield found
            if found.done == 5 and not seen:
                seen.append(5)
                raise StoppedError

    monkeypatch.setattr(patching.tracings, "causal_tracing", short)
    app = opened("switch", switches="patching", text=CAT, second=DOG)
    assert "Stopped after 5 of 16" in markdown(app)
    app.run()
    assert "runs, one a cell" in markdown(app)
    assert len(chart(app)["data"]) == 2
