"""Files that can be opened: good ones with something in them other than it was."""

from __future__ import annotations

import io
import json
import os
import random
import re
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from starlette.requests import Request

from glassformer.app.hall import join
from glassformer.core.analysis.export import run_bytes
from glassformer.core.config import ModelConfig
from glassformer.core.interventions import Experiment
from glassformer.core.lectures.read import FOLDER, read_lecture
from glassformer.core.lectures.write import write_lecture
from glassformer.core.model.transformer import Transformer
from glassformer.core.opening.kinds import kind_of
from glassformer.core.opening.models import unpack
from glassformer.core.opening.runs import read_run
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.checkpoints import load_model, save_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.trace import Trace
from glassformer.core.training.queue.pairs import FEWEST, PairFile, read_pairs
from glassformer.core.weights.opened_model import open_model
from tests.browser.driver import ROOT
from tests.fuzz import hostile
from tests.fuzz.attempts import Attempt
from tests.weights.folders import MAKERS, whole
from tests.weights.small_tokenizers import plain

SENTENCE = "The cat sleeps."
SMALL_TEXTS = ("the small house", "a ___ b", "猫", " ", "house " * 300)
FILE_NAMES = ("", "pairs.txt", "pairs.csv", "pairs.tsv", "PAIRS.CSV")
SEPARATORS = ("\t", "\t", " = ", ",", ";", "")
URL = re.compile(r"https?://[^\s/<>\"']{1,300}(/[\w.~/-]{0,300})?/hall/ABCDEF")  # of a room
ENDS = ("\n", "\r\n", "\r", "\u2028", "\n\n")


def small() -> Translator:
    """An untrained model with the bundled words, small enough to be written again and again."""
    tokenizer = Tokenizer.load(ROOT / "assets/checkpoints/translator")
    torch.manual_seed(0)
    config = ModelConfig(
        vocabulary_size=len(tokenizer.vocabulary), d_model=8, n_heads=2, d_ff=8, encoder_layers=1,
        decoder_layers=1, share_embeddings=True, tie_generator=True,
    )  # fmt: skip
    return Translator(Transformer(config), tokenizer, "small")


def runs(folder: Path) -> Attempt:
    """A run as `Trace.save` writes it; what opens must be of use."""
    path = folder / "run.safetensors"
    small().trace(SENTENCE, target="猫 睡觉").save(path)
    good = path.read_bytes()

    def attempt(rng: random.Random) -> None:
        path.write_bytes(_safetensors(rng, good))
        _use(Trace.load(path))

    return attempt


def models(folder: Path) -> Attempt:
    """A model's folder with one of its files changed; what opens must translate."""
    model, place = small(), folder / "model"
    save_model(place, model.transformer, model.tokenizer)
    for name in ("confidence.json", "history.json"):
        shutil.copy(ROOT / "assets/checkpoints/translator" / name, place / name)
    good = {path.name: path.read_bytes() for path in place.iterdir()}

    def attempt(rng: random.Random) -> None:
        name = rng.choice([*good, "config.json", "config.json"])
        (place / name).write_bytes(_changed(rng, name, good[name]))
        try:
            load_model(place).translate(SENTENCE)
        finally:
            (place / name).write_bytes(good[name])

    return attempt


def foreign_models(folder: Path) -> Attempt:
    """Another program's model with one of its files changed; what opens must go on with a text."""
    good = dict[str, dict[str, bytes]]()
    words = {"bos_token": "<s>", "chat_template": "{{ bos_token }}{{ messages[0]['content'] }}"}
    for kind in MAKERS:
        whole(kind, folder / kind)
        (folder / kind / "tokenizer_config.json").write_text(json.dumps(words), encoding="utf-8")
        good[kind] = {path.name: path.read_bytes() for path in (folder / kind).iterdir()}
    for kind in ("bert", "gpt2"):  # with a plain vocabulary, too
        place = shutil.copytree(folder / kind, folder / f"{kind}, plain")
        plain(place)
        (place / "tokenizer_config.json").write_text('{"do_lower_case": true}', "utf-8")
        good[place.name] = {path.name: path.read_bytes() for path in place.iterdir()}

    def attempt(rng: random.Random) -> None:
        kind = rng.choice([*good])
        place = folder / kind
        name = rng.choice([*good[kind], "config.json", "config.json", "model.safetensors"])
        if rng.random() < 0.1:
            _special(rng, place / name)
        else:
            (place / name).write_bytes(_changed(rng, name, good[kind][name]))
        try:
            model = open_model(place, limit=2**26).with_chat_template(or_as_typed=True)
            trace = model.trace(rng.choice(SMALL_TEXTS))
            assert trace.output_tokens and not trace["output/probabilities"].isnan().any()
        finally:
            (place / name).unlink()
            (place / name).write_bytes(good[kind][name])

    return attempt


def _special(rng: random.Random, path: Path) -> None:
    """In the place of a file something that is none: a pipe, or a link to where all is endless."""
    path.unlink()
    if rng.random() < 0.3:
        os.mkfifo(path)
    else:
        path.symlink_to(rng.choice(("/dev/zero", "/dev/stdin", "/proc/self/mem", "..", "nowhere")))


def foreign_runs(folder: Path) -> Attempt:
    """A saved run of another program's model, opened as files from outside are."""
    good = list[bytes]()
    for kind in MAKERS:
        whole(kind, folder / kind)
        good.append(run_bytes(open_model(folder / kind).trace(SMALL_TEXTS[0])))

    def attempt(rng: random.Random) -> None:
        data = _safetensors(rng, rng.choice(good))
        if kind_of(data) == "run":
            _use(read_run(data))

    return attempt


def archives(folder: Path) -> Attempt:
    """A trained model as a zip, with one of its files or the zip itself changed."""
    model, place = small(), folder / "packed"
    save_model(place, model.transformer, model.tokenizer)
    good = {path.name: path.read_bytes() for path in place.iterdir()}

    def attempt(rng: random.Random) -> None:
        contents, name = dict(good), rng.choice([*good, "config.json"])
        if rng.random() < 0.6:
            contents[name] = _changed(rng, name, good[name])
        parent = rng.choice(("model", "model", "", "..", "/", "a/b", "我的模型", "x" * 300, "m@4"))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", rng.choice((0, 8))) as archive:
            for each, data in contents.items():
                archive.writestr(f"{parent}/{each}".lstrip("/"), data)
        given = buffer.getvalue()
        with TemporaryDirectory(dir=folder) as room:
            unpack(hostile.damaged(rng, given) if rng.random() < 0.4 else given, Path(room))

    return attempt


def uploads(folder: Path) -> Attempt:
    """A run, as bytes that somebody opens in the app; what opens must be of use."""
    path = folder / "sent.safetensors"
    small().trace(SENTENCE, target="猫 睡觉").save(path)
    good = path.read_bytes()

    def attempt(rng: random.Random) -> None:
        data = _safetensors(rng, good)
        if kind_of(data) == "run":
            _use(read_run(data))

    return attempt


def experiments(_: Path) -> Attempt:
    """An experiment's file, opened as the app opens it."""
    model = small()
    made = Experiment.from_text(
        "heads_off:encoder/0/self_attention,(0,1),zero;causal:decoder/*/self_attention,!1;"
        "dropout:7;patch:encoder/0/output,((position,(1))),A+cat.,((position,(1)))"
    )
    good = json.loads(made.to_json(model))

    def attempt(rng: random.Random) -> None:
        given = hostile.written(rng, good)
        try:
            said = given.decode("utf-8")
        except UnicodeDecodeError:
            return  # refused before it is read
        read = Experiment.from_json(said, model)
        read.misfits(model.config, 5, 5)
        read.text.encode()

    return attempt


def pairs(longest: int) -> Callable[[Path], Attempt]:
    """Pairs of one's own, typed or uploaded; nothing is raised, problems are told."""

    def make(_: Path) -> Attempt:
        def attempt(rng: random.Random) -> None:
            lines = [_line(rng, longest) for _ in range(rng.choice((0, 1, 5, FEWEST, 3 * FEWEST)))]
            data = rng.choice(ENDS).join(lines).encode("utf-8", "replace")
            if rng.random() < 0.4:
                data = hostile.damaged(rng, data)
            if rng.random() < 0.1:
                data = rng.choice((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b'"')) + data
            read = read_pairs(data, rng.choice(FILE_NAMES))
            assert isinstance(read, PairFile)
            assert read.pairs or read.problems, "neither pairs nor a problem"

        return attempt

    return make


def lectures(_: Path) -> Attempt:
    """A lecture's file; what is read is written so that it reads back the same."""
    good = (FOLDER / "heads.toml").read_bytes()
    lines = good.split(b"\n")

    def attempt(rng: random.Random) -> None:
        kept = [rng.choice(lines) if rng.random() < 0.01 else line for line in lines]
        data = b"\n".join(kept[: rng.choice((len(kept), rng.randrange(len(kept))))])
        lecture = read_lecture(hostile.damaged(rng, data) if rng.random() < 0.6 else data)
        assert read_lecture(write_lecture(lecture)) == lecture

    return attempt


def headers(_: Path) -> Attempt:
    """What a proxy forwards, or whoever claims to be one: the room's address and its picture."""
    names = ("host", "x-forwarded-host", "x-forwarded-prefix", "x-forwarded-proto")
    good = (
        "talk.example",
        "talk.example:8501, other",
        "[::1]:8501",
        "/glass",
        "https",
        "localhost",
    )

    def attempt(rng: random.Random) -> None:
        sent = []
        for name in names:
            value = rng.choice(good).encode()
            if rng.random() < 0.7:
                value = hostile.damaged(rng, value * rng.choice((1, 1, 300)))
            sent.append((name.encode(), value.replace(b"\r", b"").replace(b"\n", b"")))
        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": sent}
        found = join.room_address(
            Request({**scope, "scheme": "http", "server": ("127.0.0.1", 1)}), "ABCDEF"
        )
        assert URL.fullmatch(found), found
        assert join.qr(found).startswith(b"<svg")

    return attempt


def kinds(longest: int = hostile.LONGEST) -> dict[str, Callable[[Path], Attempt]]:
    """What can be opened, by name."""
    return {
        "runs": runs,
        "models": models,
        "foreign-models": foreign_models,
        "foreign-runs": foreign_runs,
        "archives": archives,
        "uploads": uploads,
        "experiment-files": experiments,
        "pairs": pairs(longest),
        "lectures": lectures,
        "headers": headers,
    }


def _use(trace: Trace) -> None:
    trace.full_text.encode()
    assert trace.nbytes >= 0
    for row in range(len(trace.target_tokens)):
        trace.candidates(row)
    for address in trace:
        trace.table(address, **{axis.name: 0 for axis in trace.axes(address)[:-2]})


def _line(rng: random.Random, longest: int) -> str:
    if rng.random() < 0.6:
        number = rng.randint(0, 99)
        return f"word{number} is {number}{rng.choice(SEPARATORS)}{number} 是 词{number}"
    sides = [hostile.text(rng, longest) for _ in range(rng.choice((1, 2, 2, 2, 3)))]
    return rng.choice(SEPARATORS).join(sides)


def _changed(rng: random.Random, name: str, good: bytes) -> bytes:
    """One of a model's files, changed as its kind is."""
    if name.endswith(".safetensors"):
        return _safetensors(rng, good)
    if name.endswith(".json"):
        return hostile.written(rng, json.loads(good))
    return hostile.damaged(rng, good)


def _safetensors(rng: random.Random, good: bytes) -> bytes:
    """A safetensors file: its bytes damaged, or its header telling something else."""
    if rng.random() < 0.4:
        return hostile.damaged(rng, good)
    (length,) = struct.unpack("<Q", good[:8])
    header: dict[str, Any] = json.loads(good[8 : 8 + length])
    told = header.get("__metadata__", {})
    if "about" in told and rng.random() < 0.7:
        told["about"] = hostile.written(rng, json.loads(told["about"])).decode(errors="replace")
    elif rng.random() < 0.3:
        told["glassformer_trace"] = rng.choice(hostile.NUMBERS)
        header["__metadata__"] = told
    else:
        header = hostile.changed(rng, header)
    data = json.dumps(header).encode("utf-8", "replace")
    size = rng.choice((len(data),) * 8 + (0, 1, 2**62, len(data) + 1))
    return struct.pack("<Q", size) + data + good[8 + length :]
