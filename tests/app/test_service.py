"""Models and traces for the pages: shared, bounded, and clear about what is wrong with them."""

import gc
import json
import shutil
import threading
import time
import tomllib
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer.app.runs import models as stored
from glassformer.app.runs import traces
from glassformer.app.runs.models import get_model
from glassformer.app.runs.traces import get_trace, get_variant, trace_bytes
from glassformer.app.server import process
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import FIRST_SENTENCE
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import Fill
from glassformer.core.settings import read_settings
from glassformer.core.text_models import checkpoints
from tests.architecture.sources import ROOT

ADDITIVE = Experiment((Fill("additive"),))


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the bundled model's folder that a test may damage."""
    copy = tmp_path / "checkpoints"
    shutil.copytree(checkpoints.CHECKPOINTS / "translator", copy / "translator")
    monkeypatch.setattr(checkpoints, "CHECKPOINTS", copy)
    clear()
    yield copy
    clear()


def clear() -> None:
    for known in (
        stored._load,
        stored.get_heads,
        stored._taught,
        stored._history,
        stored.get_exact_match,
    ):
        known.cache_clear()
    traces._traces.clear()


def test_one_sentence_is_computed_once_for_all() -> None:
    first = get_trace("I like you")
    assert get_trace("I like you") is first
    assert get_trace("I like you", "en-zh") is not first
    assert trace_bytes() >= first.nbytes


def test_a_model_of_another_config_is_made_once_and_copies_nothing() -> None:
    model, other = get_model(), get_variant(ADDITIVE)
    assert get_variant(ADDITIVE) is other is not model
    assert (model.config.mask_fill, other.config.mask_fill) == ("large_negative", "additive")
    own, same = (dict(each.transformer.named_parameters()) for each in (model, other))
    assert all(same[name].data_ptr() == weight.data_ptr() for name, weight in own.items())
    assert get_variant(Experiment()) is model


def test_many_visitors_at_once_get_their_own_translation() -> None:
    clear()
    texts = ["I like you", "I have a cat", FIRST_SENTENCE, "我 爱 机器 学习"] * 4
    with ThreadPoolExecutor(8) as pool:
        traces = list(pool.map(get_trace, texts))
    assert [trace.source_text for trace in traces] == texts
    assert len({id(trace) for trace in traces}) == 4


def test_a_trace_changes_nothing_in_the_model() -> None:
    transformer = get_model().transformer
    before = {name: weight.clone() for name, weight in transformer.named_parameters()}
    get_trace("I have a dog")
    for name, weight in transformer.named_parameters():
        assert torch.equal(weight, before[name]), name


@pytest.mark.parametrize("name", ["nobody", "../translator", "/etc", "."])
def test_only_bundled_models_can_be_asked_for(name: str) -> None:
    with pytest.raises(GlassformerError) as caught:
        get_trace("I like you", "auto", name)
    assert caught.value.key == "checkpoint_missing"


def test_preparing_freezes_once() -> None:
    process.prepare_process()
    frozen = gc.get_freeze_count()
    assert frozen > 10_000
    process.prepare_process()
    assert gc.get_freeze_count() <= frozen
    assert torch.get_num_threads() == read_settings().threads


def test_full_collections_come_from_our_clock_alone() -> None:
    process.prepare_process()
    assert gc.get_threshold()[2] >= process.NEVER
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["runner"]["postScriptGC"] is False


def test_the_clock_collects_what_sessions_leave_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Left:
        """Something in a circle, which no count of references frees."""

    left = Left()
    left.me = left  # type: ignore[attr-defined]
    gone = weakref.ref(left)
    gc.collect()  # it is old now
    del left
    monkeypatch.setattr(process, "COLLECT_EVERY", 0.05)
    threading.Thread(target=process._collect, daemon=True).start()
    end = time.monotonic() + 10
    while gone() is not None and time.monotonic() < end:
        time.sleep(0.05)
    assert gone() is None


def remove(folder: Path) -> None:
    shutil.rmtree(folder)


def truncate(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])


def mismatch(folder: Path) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["model"]["d_ff"] *= 2
    path.write_text(json.dumps(config), encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("damage", [remove, truncate, mismatch])
def test_a_damaged_model_is_said_in_place(models: Path, damage: object, language: str) -> None:
    damage(models / "translator")  # type: ignore[operator]
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["language"] = language
    app.run()
    assert not app.exception
    said = [each.value for each in app.markdown if ":material/error:" in each.value]
    assert len(said) == 1
    assert "make train" in said[0] or "config" in said[0]
    assert ("模型" in said[0] or "权重" in said[0]) == (language == "zh")
    # The frame is there, and a model that comes back is found without a restart.
    assert app.text_input(key="widget_sentence").value == FIRST_SENTENCE
