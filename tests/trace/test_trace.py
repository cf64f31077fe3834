"""The trace: look-up, tables, recomputed maps, files."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.step import Task
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.shapes import recorded_bytes
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tape import Recorder
from glassformer.core.trace.trace import Trace

WEIGHTS = "encoder/0/self_attention/weights"
CROSS = "decoder/2/cross_attention/weights"
Maker = Callable[..., Transformer]


@pytest.fixture
def make_trace(small_model: Maker, source_ids: Tensor, target_ids: Tensor) -> Callable[..., Trace]:
    def make(maps: bool = True, seed: int | None = None) -> Trace:
        model = small_model()

        def keep(address: str) -> bool:
            return maps or not site_at(address).per_map

        tape = Recorder(keep=keep, dropout_seed=seed)
        model(source_ids, target_ids, tape)
        words = tuple(f"w{index}" for index in range(30))
        source = tuple(words[index] for index in source_ids[0])
        target = tuple(words[index] for index in target_ids[0])
        return Trace(
            config=model.config,
            tensors=tape.tensors,
            source_text="a 句子",
            output_text="b",
            source_tokens=source,
            source_pieces=source,
            target_tokens=target,
            target_pieces=target,
            output_tokens=(*target[1:], "w2"),
            output_pieces=(*target[1:], "w2"),
            vocabulary=words,
            surfaces={"w3": "Glorb"},
            steps=greedy(model, Task(tuple(source_ids[0].tolist()), 4, 2, 4)),
        )

    return make


def test_maps_recomputed_on_demand_are_the_same_bits(make_trace: Callable[..., Trace]) -> None:
    full, lean = make_trace(), make_trace(maps=False)
    assert WEIGHTS not in lean.tensors
    assert list(lean) == list(full) and len(lean) == len(full)
    assert all(torch.equal(lean[address], full[address]) for address in full)
    assert lean.nbytes < full.nbytes


def test_unknown_address_names_the_nearest(make_trace: Callable[..., Trace]) -> None:
    with pytest.raises(GlassformerError, match=WEIGHTS):
        make_trace()["encoder/0/self_attention/weight"]
    assert "encoder/9/self_attention/weights" not in make_trace()


def test_pick_holds_axes(make_trace: Callable[..., Trace]) -> None:
    trace = make_trace()
    assert torch.equal(trace.pick(CROSS, head=3), trace[CROSS][0, 3])
    assert torch.equal(trace.pick(CROSS, head=1, key=2), trace[CROSS][0, 1, :, 2])
    assert torch.equal(trace.pick("source/positions"), trace["source/positions"])
    with pytest.raises(GlassformerError, match="head 4 does not exist; it may be 0 to 3"):
        trace.pick(CROSS, head=4)
    with pytest.raises(GlassformerError, match="has no axis feature"):
        trace.pick(CROSS, feature=0)


def test_axes_carry_the_words(make_trace: Callable[..., Trace]) -> None:
    trace = make_trace()
    batch, head, query, key = trace.axes(CROSS)
    assert [axis.letter for axis in (batch, head, query, key)] == ["B", "H", "T", "S"]
    assert head.labels is None
    assert query.labels == trace.target_tokens and key.labels == trace.source_tokens


def test_table_is_tidy(make_trace: Callable[..., Trace]) -> None:
    trace = make_trace()
    table = trace.table(CROSS, head=2)
    assert list(table) == ["query", "query_token", "key", "key_token", "value"]
    assert len(table) == 4 * 5
    row = table[(table["query"] == 3) & (table["key"] == 1)].iloc[0]
    assert row["value"] == trace[CROSS][0, 2, 3, 1].item()
    assert row["query_token"] == "w11" and row["key_token"] == "w6"
    assert list(trace.table("encoder/0/feed_forward_norm/mean")) == [
        "position",
        "position_token",
        "value",
    ]


def test_candidates_are_sorted_and_name_the_slot_words(make_trace: Callable[..., Trace]) -> None:
    trace = make_trace()
    best = trace.candidates(1, k=30)
    probabilities = [candidate.probability for candidate in best]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) == pytest.approx(1, abs=1e-5)
    assert {candidate.token for candidate in best if candidate.piece == "w3"} == {"Glorb"}


@pytest.mark.parametrize("lengths", [(5, 4), (40, 33)])
@pytest.mark.parametrize("maps", [True, False])
@pytest.mark.parametrize("place", ["pre", "post"])
def test_memory_is_known_before_it_is_spent(
    small_model: Maker, lengths: tuple[int, int], maps: bool, place: str
) -> None:
    model = small_model(norm_place=place)
    source, target = (torch.randint(5, 30, (1, length)) for length in lengths)
    tape = Recorder(keep=None if maps else lambda address: not site_at(address).per_map)
    model(source, target, tape)
    held = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for address, tensor in tape.tensors.items()
        if not address.endswith("/mask")  # one byte a cell, shared by the layers of a stack
    }
    assert recorded_bytes(model.config, *lengths, maps=maps) == sum(held.values())


@pytest.mark.parametrize("seed", [None, 1])
def test_saved_and_reopened(
    make_trace: Callable[..., Trace], tmp_path: Path, seed: int | None
) -> None:
    trace = make_trace(seed=seed)
    trace.save(tmp_path / "run.safetensors")
    again = Trace.load(tmp_path / "run.safetensors")
    assert list(again) == list(trace)
    assert all(torch.equal(again[address], trace[address]) for address in trace)
    for field in dataclasses.fields(Trace):
        if field.name != "tensors":
            assert getattr(again, field.name) == getattr(trace, field.name), field.name


def spoil(path: Path, how: str) -> None:
    if how == "missing":
        path.unlink()
    elif how == "truncated":
        path.write_bytes(path.read_bytes()[:-100])
    elif how == "text":
        path.write_text("not a trace", encoding="utf-8")
    elif how == "empty":
        path.write_bytes(b"")


@pytest.mark.parametrize("how", ["missing", "truncated", "text", "empty"])
def test_damaged_files_are_refused(
    make_trace: Callable[..., Trace], tmp_path: Path, how: str
) -> None:
    path = tmp_path / "run.safetensors"
    make_trace().save(path)
    spoil(path, how)
    with pytest.raises(GlassformerError) as caught:
        Trace.load(path)
    assert caught.value.key == "trace_damaged" and "run.safetensors" in str(caught.value)


def rewrite(path: Path, header: dict[str, str], extra: dict[str, Tensor] | None = None) -> None:
    save_file({**load_file(path), **(extra or {})}, path, metadata=header)


def about(trace: Trace, path: Path) -> dict[str, Any]:
    from safetensors import safe_open

    trace.save(path)
    with safe_open(path, framework="pt") as file:
        loaded: dict[str, Any] = json.loads(file.metadata()["about"])
    return loaded


def test_foreign_newer_and_inconsistent_files_are_refused(
    make_trace: Callable[..., Trace], tmp_path: Path
) -> None:
    path = tmp_path / "run.safetensors"
    facts = about(make_trace(), path)
    rewrite(path, {"format": "pt"})
    with pytest.raises(GlassformerError, match="was not written by Glassformer"):
        Trace.load(path)
    rewrite(path, {"glassformer_trace": "99", "about": json.dumps(facts)})
    with pytest.raises(GlassformerError, match="newer Glassformer"):
        Trace.load(path)
    rewrite(path, {"glassformer_trace": "1", "about": "{}"})
    with pytest.raises(GlassformerError, match="not a readable trace"):
        Trace.load(path)
    good = {"glassformer_trace": "1", "about": json.dumps(facts)}
    rewrite(path, good, {"elsewhere/x": torch.zeros(1)})
    with pytest.raises(GlassformerError, match="elsewhere/x"):
        Trace.load(path)
    make_trace().save(path)
    rewrite(path, good, {"memory": torch.zeros(1, 2, 16)})
    with pytest.raises(GlassformerError, match="memory is"):
        Trace.load(path)


def test_user_text_survives_the_file(make_trace: Callable[..., Trace], tmp_path: Path) -> None:
    odd = "<b>x</b> </s> $x$ &lt; 🦊 ‏ \n 和"
    trace = dataclasses.replace(make_trace(), source_text=odd)
    trace.save(tmp_path / "run.safetensors")
    assert Trace.load(tmp_path / "run.safetensors").source_text == odd
