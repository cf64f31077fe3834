"""What a worker answers is what a front computes, bit for bit, of every kind of request."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from glassformer.app.runs import traces
from glassformer.app.runs.cache import BoundedCache
from glassformer.app.runs.engine import model_files
from glassformer.app.runs.engine.answers import Computer
from glassformer.app.runs.engine.model_files import address_of, fingerprint_of, load_addressed
from glassformer.app.runs.engine.requests import Ask, ModelAddress, Request, RunKey
from glassformer.app.runs.engine.runner import EngineRunner
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.trace.trace import Trace
from tests.engine.engines import HereEngine, load_for_worker
from tests.engine.test_packing import assert_same_run

TEXT, GPT = "I love machine learning", "small-gpt"
OFF = Experiment.from_text("heads_off:encoder/0/self_attention,(0,1)")
MEAN = Experiment.from_text("heads_off:decoder/0/self_attention,(0),mean")
UNSCALED = Experiment.from_text("unscaled:encoder/*")
NOTHING = Experiment()
ASKED: dict[str, Callable[[], Any]] = {
    "plain": lambda: traces.get_trace(TEXT),
    "several sentences": lambda: traces.get_trace("I like you. I like cats."),
    "a direction": lambda: traces.get_trace("我喜欢猫", "zh-en"),
    "a step": lambda: traces.get_trace(TEXT, step="400"),
    "a decoder alone": lambda: traces.get_trace("The cat", model=GPT),
    "switches": lambda: traces.get_run(OFF, TEXT),
    "means of heads": lambda: traces.get_run(MEAN, TEXT),
    "another config": lambda: traces.get_run(UNSCALED, TEXT),
    "a forced target": lambda: traces.get_run(NOTHING, TEXT, target="我喜欢猫"),
    "words given": lambda: traces.get_forced(OFF, traces.get_run(OFF, TEXT), _words()),
    "heads ablated": lambda: traces.get_ablated_heads(UNSCALED, TEXT),
    "heads at their mean": lambda: traces.get_ablated_heads(NOTHING, TEXT, way="mean"),
    "a batch": lambda: traces.get_batch(
        NOTHING, [traces.get_trace(each) for each in (TEXT, "I like you")]
    ),
    "means": lambda: traces._get_means("", ""),
    "a replay": lambda: traces.get_replay("I like you"),
}


@pytest.fixture(autouse=True)
def _empty_caches() -> Iterator[None]:
    _forget()
    yield
    _forget()


def _forget() -> None:
    for each in vars(traces).values():
        if isinstance(each, BoundedCache):
            each.clear()


def _words() -> tuple[int, ...]:
    return traces.get_trace("I love cats").output_ids


def same(found: Any, wanted: Any) -> bool:
    """Whether two answers are equal to the bit, whatever they hold."""
    assert type(found) is type(wanted)
    if isinstance(wanted, torch.Tensor | np.ndarray):
        return bool(torch.equal(torch.as_tensor(found), torch.as_tensor(wanted)))
    if isinstance(wanted, Trace):
        assert_same_run(found, wanted)
        return all(torch.equal(found[address], wanted[address]) for address in wanted)
    if is_dataclass(wanted):
        pairs = ((getattr(found, each.name), getattr(wanted, each.name)) for each in fields(wanted))
        return all(same(*pair) for pair in pairs)
    if isinstance(wanted, Mapping):
        return list(found) == list(wanted) and all(same(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, tuple):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    return bool(found == wanted)


@pytest.mark.parametrize("name", ASKED)
def test_an_engine_answers_what_is_computed_here(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = ASKED[name]()
    _forget()
    engine = HereEngine()
    monkeypatch.setattr(traces, "current_runner", lambda: EngineRunner(engine))
    found = ASKED[name]()
    assert engine.calls and found is not wanted and same(found, wanted)


def test_a_front_loads_no_model_for_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "current_runner", lambda: EngineRunner(engine))
    monkeypatch.setattr(traces, "get_model", lambda *_: pytest.fail("it loaded a model"))
    engine = HereEngine()
    for model in ("", GPT):
        assert traces.get_trace("The cat", model=model)["output/probabilities"].sum() > 0
    assert [each.ask for each in engine.calls].count(Ask.WORDS) == 2


def test_the_words_of_a_model_travel_once(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = HereEngine()
    shared = EngineRunner(engine)
    monkeypatch.setattr(traces, "current_runner", lambda: shared)
    for text in ("I like you", "I like cats", "I like dogs"):
        traces.get_trace(text)
    assert [each.ask for each in engine.calls] == [Ask.RUN, Ask.WORDS, Ask.RUN, Ask.RUN]


@pytest.mark.parametrize(("ask", "tried"), [(Ask.ABLATED, [64, 32, 16]), (Ask.RUN, [64, 64])])
def test_too_little_memory_of_a_gpu(
    ask: Ask, tried: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch is halved until it fits; what is no batch goes to the CPU at once."""
    seen = list[tuple[int, str]]()
    compute = Computer._compute

    def short(self: Computer, request: Request, copies: int, device: str) -> Any:
        seen.append((copies, device))
        if len(seen) < len(tried):
            raise torch.OutOfMemoryError
        return compute(self, request, copies, device)

    monkeypatch.setattr(Computer, "_compute", short)
    key = RunKey(address_of("translator").text, text=TEXT)
    kind, found = Computer(load_for_worker).answer(Request(ask, key, ("zero",)))
    assert kind == "value" and [copies for copies, _ in seen] == tried
    assert [device for _, device in seen] == (["", "", ""] if ask is Ask.ABLATED else ["", "cpu"])
    if ask is Ask.ABLATED:  # other batches, other rounding
        here = {
            (each.where, each.head): each.kl for each in traces.get_ablated_heads(NOTHING, TEXT)
        }
        there = {(each.where, each.head): each.kl for each in found}
        assert here == pytest.approx(there, abs=1e-6)


def test_another_model_of_that_name_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(CHECKPOINTS / GPT, tmp_path / "mine")
    monkeypatch.setenv("GLASSFORMER_MODELS", str(tmp_path))
    address = address_of(str(tmp_path / "mine"))
    assert address.source == "folder" and load_addressed(address, "").name == "mine"
    with (tmp_path / "mine" / "config.json").open("a") as file:
        file.write(" ")
    with pytest.raises(GlassformerError) as raised:
        load_addressed(address, "")
    assert raised.value.key == "engine_model"
    with pytest.raises(GlassformerError) as raised:
        load_addressed(ModelAddress("folder", "00", "none"), "")
    assert raised.value.key == "engine_model"


def test_fingerprints_of_large_files_see_each_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_files, "WHOLE", 100)
    monkeypatch.setattr(model_files, "SAMPLE", 10)
    data = bytearray(2000)
    (tmp_path / "weights").write_bytes(data)
    before = fingerprint_of(tmp_path)
    for at in (0, 980, 1960):
        changed = data.copy()
        changed[at : at + 40] = b"x" * 40
        (tmp_path / "weights").write_bytes(changed)
        assert fingerprint_of(tmp_path) != before


def test_what_is_asked_travels_as_json() -> None:
    request = Request(Ask.FORCED, RunKey("a", "5", "我", "auto", "x", None), (3, ("b", 4)))
    assert Request.from_json(request.to_json("0.6")) == (request, "0.6")
    for wrong in (b"", b"[]", b'{"ask": "run"}', b'{"ask": "fly", "key": {"model": ""}}'):
        with pytest.raises((ValueError, KeyError, TypeError)):
            Request.from_json(wrong)


def test_an_address_is_one_word_and_names_no_path() -> None:
    address = ModelAddress("blob", "ab12", "mein Modell: 一")
    assert address.text.isascii() and " " not in address.text
    assert ModelAddress.from_text(address.text) == address
    for name in ("", "..", "a/b", "a\\b"):
        with pytest.raises(ValueError, match="a name"):
            ModelAddress.from_text(ModelAddress("folder", "ab12", name).text)
