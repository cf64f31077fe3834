"""Every page on a device that has no float64 and shares no memory with the CPU, as MPS."""

from collections.abc import Iterator
from typing import Any

import pytest

from glassformer.app.pages.switch.examples.panel import ExampleExperiment, example_experiments
from glassformer.app.runs import models
from glassformer.app.runs.cache import SERVER
from glassformer.core.text_models.translator import Translator
from tests.fake_device import DEVICE, fake_device, on_device
from tests.opened_app import drawn, opened

OFF = {"edits": "heads_off:decoder/1/cross_attention,(0,)"}
SCREENS: tuple[tuple[str, dict[str, str]], ...] = (
    ("translate", {"block": "decoder/0/cross_attention"}),
    ("translate", {"block": "output"}),
    ("translate", {"second": "The animal didn't cross the street because it was too wide"}),
    ("walkthrough", {"walk": "decoder.1.cross_attention.weights", **OFF}),
    ("attention", {"kind": "cross", "head": "2", "query": "3", "key": "2"}),
    ("attention", {"view": "heads", "kind": "decoder", "second": "I love machine learning"}),
    ("attention", {"layer": "2", "head": "1", "query": "8", "key": "2", "terms": "writers"}),
    ("vectors", {"vectors": "positions", "positions": "same"}),
    ("vectors", {"vectors": "stream", "stack": "decoder", **OFF}),
    ("vectors", {"vectors": "lens"}),
    ("vectors", {"vectors": "which_word"}),
    ("vectors", {"vectors": "which_word", **OFF}),
    ("vectors", {"vectors": "neurons", "stack": "decoder"}),
    ("decoding", {"decoding": "timeline", **OFF}),
    ("decoding", {"decoding": "strategies", "strategy": "top_p"}),
    ("decoding", {"decoding": "beam"}),
    ("decoding", {"decoding": "forcing"}),
    ("decoding", {"decoding": "from_words"}),
    ("switch", {"switches": "masks", "kind": "decoder", "head": "1"}),
    ("switch", {"switches": "heads", "heads_by": "harm", **OFF}),
    ("switch", {"switches": "concepts", "result": "by_layer", **OFF}),
    ("switch", {"switches": "tensors", **OFF}),
    ("switch", {"switches": "batch", "batch": "I love cats\nI like you and your cat"}),
    ("tensors", {"address": "encoder/0/self_attention/weights", "form": "exact"}),
    ("tensors", {"trail": "decoder/0/cross_attention/context[0,0,0,0]"}),
    ("lab", {"lab": "examples"}),
    ("lab", {"lab": "one_matrix"}),
    ("lab", {"lab": "skips", "inputs": "skips:whose,model"}),
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _on_device() -> Iterator[None]:
    real = models.load_model

    def load(place: Any = None) -> Translator:
        translator = real(place)
        on_device(translator.transformer)
        return translator

    _forget()  # what other tests left is on the CPU
    with pytest.MonkeyPatch.context() as patch, fake_device():
        patch.setattr(models, "load_model", load)
        yield
    _forget()


def _forget() -> None:
    models._load.cache_clear()
    for cache in SERVER.caches:
        cache.clear()


@pytest.mark.parametrize(("page", "query"), SCREENS, ids=lambda each: str(each)[:40])
def test_a_page_is_drawn(page: str, query: dict[str, str]) -> None:
    app = opened(page, **query)
    assert not app.error
    if page != "lab":
        assert drawn(app)["memory"].device == DEVICE


@pytest.mark.parametrize("example", example_experiments()[::4], ids=lambda each: each.id)
def test_an_example_of_the_switch_page_is_drawn(example: ExampleExperiment) -> None:
    asked = {"text": example.text, "edits": example.edits, "model": example.model}
    assert not opened("switch", **asked, result="by_layer", second=example.second).error


def test_the_device_refuses_what_mps_refuses() -> None:
    weight = models.get_model().transformer.generator.weight
    assert weight.device == DEVICE
    with pytest.raises(TypeError, match="float64"):
        weight.double()
    with pytest.raises(TypeError, match="numpy"):
        weight.numpy()
    with pytest.raises(RuntimeError, match="same device"):
        weight + weight.cpu()
    assert (weight + 1.0).device == DEVICE and weight.cpu().double().device.type == "cpu"
