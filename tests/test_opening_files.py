"""Files from outside: told by their content, read within bounds, refused with one reason."""

import json
import pickle
import struct
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save

from glassformer import load_model
from glassformer.core.analysis.export import run_bytes
from glassformer.core.interventions import Experiment, run
from glassformer.core.interventions.masks import Fill, Lines
from glassformer.core.opening import kinds
from glassformer.core.opening.kinds import kind_of, made_on
from glassformer.core.opening.models import unpack
from glassformer.core.opening.runs import is_made_by, read_run
from tests.opened_files import (
    SENTENCE,
    experiment_file,
    joined,
    model_file,
    model_files,
    refused,
    run_file,
    with_header,
    zipped,
)

RUN = run_file()
HEADER = json.loads(RUN[8 : 8 + int.from_bytes(RUN[:8], "little")])
REST = RUN[8 + int.from_bytes(RUN[:8], "little") :]
ABOUT = json.loads(HEADER["__metadata__"]["about"])


def test_each_kind_is_told_by_its_content() -> None:
    assert kind_of(RUN) == "run"
    assert kind_of(experiment_file()) == "experiment"
    assert kind_of(b"\xef\xbb\xbf\n" + experiment_file()) == "experiment"
    assert kind_of(model_file()) == "model"


@pytest.mark.parametrize("data", [
    b"", b"{}", b"[]", b"\xff\xd8\xff\xe0\x00\x10JFIF", pickle.dumps({"weights": [1.0]}),
    save({"weight": torch.zeros(3)}), save({"weight": torch.zeros(3)}, {"format": "pt"}),
    b"\x00" * 100, b"<!doctype html>", "{\"kind\": \"other\"}".encode("utf-16"),
])  # fmt: skip
def test_anything_else_is_foreign(data: bytes) -> None:
    assert refused(lambda: kind_of(data)) == "file_foreign"


def test_too_large_is_known_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds.MOST_BYTES, "run", len(RUN) - 1)
    assert refused(lambda: kind_of(RUN)) == "file_large"
    assert refused(lambda: kind_of(experiment_file() + b" " * 2**20)) == "file_large"
    long = (2**25).to_bytes(8, "little") + b"{" + b" " * 9
    assert refused(lambda: kind_of(long)) == "file_large"


def test_hundreds_of_thousands_of_empty_tensors_are_not_read() -> None:
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    header = HEADER | {str(each): empty for each in range(220_000)}
    text = json.dumps(header, separators=(",", ":")).encode()
    data = len(text).to_bytes(8, "little") + text
    start = time.process_time()
    assert refused(lambda: kind_of(data)) == "file_damaged"
    assert refused(lambda: read_run(data)) == "file_damaged"
    assert time.process_time() - start < 0.5


def test_a_run_comes_back_bit_for_bit() -> None:
    trace, found = load_model().trace(SENTENCE), read_run(RUN)
    assert set(found) == set(trace)
    assert all(torch.equal(found[address], trace[address]) for address in trace)
    assert (found.steps, found.output_text, found.config) == (
        trace.steps,
        trace.output_text,
        trace.config,
    )
    assert is_made_by(found, load_model())
    assert not is_made_by(found, load_model("translator-plain"))


def test_a_run_with_lost_numbers_is_one_of_a_switch() -> None:
    """Under −∞ a closed row has no numbers: such a run opens; a plain one with NaN does not."""
    closed = Experiment((Lines("encoder/1/self_attention", (2,), (1,)), Fill("minus_infinity")))
    trace = run(closed, load_model(), SENTENCE)
    assert any(bool(each.isnan().any()) for each in trace.tensors.values())
    assert read_run(run_bytes(trace)).edits == trace.edits


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _moved(name: str, **facts: Any) -> bytes:
    return joined({**HEADER, name: {**HEADER[name], **facts}}, REST)


def _told(version: str, about: str) -> bytes:
    facts = {"glassformer_trace": version, "about": about}
    return joined({**HEADER, "__metadata__": facts}, REST)


def _nan() -> bytes:
    at = HEADER["encoder/0/self_attention/q"]["data_offsets"][0]
    return joined(HEADER, REST[:at] + struct.pack("<f", float("nan")) + REST[at + 4 :])


def _without(address: str) -> bytes:
    trace = load_model().trace(SENTENCE)
    held = {name: tensor for name, tensor in trace.tensors.items() if name != address}
    facts = HEADER["__metadata__"]
    return save({name: each.clone().contiguous() for name, each in held.items()}, facts)


DAMAGED = {
    "cut": _cut(RUN),
    "cut in the header": RUN[:2000],
    "a shape that lies": _moved("source/ids", shape=[1, 9]),
    "an offset that lies": _moved("source/ids", data_offsets=[0, 2**60]),
    "another type": _moved("source/ids", dtype="F64"),
    "NaN": _nan(),
    "a tensor missing": _without("output/logits"),
    "facts that are a list": _told("1", "[]"),
    "deep facts": _told("1", "[" * 99_999),
    "no facts": _told("1", ""),
    "no format": _told("x", "{}"),
    **{
        f"{name} = {str(value)[:30]}": with_header(RUN, **{name: value})
        for name, value in (
            ("config", None), ("config", {**ABOUT["config"], "d_model": 2**62}),
            ("config", {**ABOUT["config"], "encoder_layers": 100_000}),
            ("config", {**ABOUT["config"], "n_heads": 3}),
            ("config", {**ABOUT["config"], "more": 1}),
            ("source_tokens", ["I", "like", "you"]), ("source_tokens", [1, 2, 3, 4]),
            ("source_tokens", ["I" * 999, "like", "you", "<eos>"]), ("source_pieces", ["i"] * 4),
            ("vocabulary", ["<eos>"] * 5580), ("vocabulary", {}), ("direction", "en-fr"),
            ("output_pieces", ["nothing such"] * 4), ("surfaces", {"<name1>": 3}), ("surfaces", 3),
            ("source_unknown", [9]), ("steps", [{}]), ("steps", None),
            ("steps", ABOUT["steps"][:1]),
            ("steps", [{**ABOUT["steps"][0], "chosen": 10**9}] * 4),
            ("calibration", {"weights": 3}), ("calibration", [1]), ("source_text", None),
            ("further", [3]), ("model_name", {}), ("edits", 5), ("unknown_fact", 1),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_run_is_refused(name: str) -> None:
    data = DAMAGED[name]
    assert refused(lambda: read_run(data) if kind_of(data) == "run" else None) == "file_damaged"


def test_later_versions_are_told() -> None:
    assert refused(lambda: read_run(with_header(RUN, glassformer_trace="2"))) == "file_newer"
    files = model_files()
    config = json.loads(files["mine-1/config.json"])
    files["mine-1/config.json"] = json.dumps({**config, "format": 2}).encode()
    assert refused(lambda: unpack(zipped(files), Path("never-made"))) == "file_newer"


def test_the_facts_of_an_experiment() -> None:
    found = made_on(experiment_file(text=SENTENCE, direction="en-zh"))
    assert (found.model, found.sentence) == ("translator", {"text": SENTENCE, "direction": "en-zh"})


@pytest.mark.parametrize("changes", [
    {"model": None}, {"model": {}}, {"model": {"name": 3, "fingerprint": ""}}, {"sentence": []},
    {"sentence": {"text": 3}}, {"sentence": {"direction": "en-fr"}},
    {"sentence": {"text": "a" * 10_001}},
])  # fmt: skip
def test_facts_that_are_none(changes: dict[str, Any]) -> None:
    data = json.dumps({**json.loads(experiment_file()), **changes}).encode()
    assert refused(lambda: made_on(data)) == "file_damaged"
    assert refused(lambda: made_on(data[:-5])) == "file_damaged"
