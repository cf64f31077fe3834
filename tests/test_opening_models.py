"""A trained model as a zip: it comes back whole, and anything else is refused."""

import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save

from glassformer import load_model
from glassformer.core.opening import models
from glassformer.core.opening.models import unpack
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from tests.opened_files import SENTENCE, model_file, model_files, refused, zipped


def test_a_model_comes_back(tmp_path: Path) -> None:
    home = unpack(model_file(), tmp_path)
    before, after = load_model(), load_model(home)
    assert after.name == "mine-1"
    assert after.trace(SENTENCE).output_text == before.trace(SENTENCE).output_text
    for old, new in zip(
        before.transformer.parameters(), after.transformer.parameters(), strict=True
    ):
        assert torch.equal(old, new)
    assert {each.name for each in home.iterdir()} == set(models.FILES)


@pytest.mark.parametrize(("name", "kept"), [
    ("mine-1", "mine-1"), ("..", ""), ("a@400", "a-400"), ("a b/<c>", ""), (".hidden", "hidden"),
    ("模型", "模型"), ("x" * 99, "x" * 40),
])  # fmt: skip
def test_the_name_of_a_model_is_a_folder_of_its_own(tmp_path: Path, name: str, kept: str) -> None:
    data = zipped({each.replace("mine-1", name, 1): held for each, held in model_files().items()})
    if kept:
        assert unpack(data, tmp_path) == tmp_path / kept
    else:
        assert refused(lambda: unpack(data, tmp_path)) == "file_foreign"
        assert not list(tmp_path.iterdir())


def _instead(**changes: bytes | None) -> bytes:
    files = model_files()
    for name, content in changes.items():
        place = f"mine-1/{name.replace('_', '.')}"
        if content is None:
            del files[place]
        else:
            files[place] = content
    return zipped(files)


def _config(**changes: Any) -> bytes:
    about = json.loads(model_files()["mine-1/config.json"])
    about["model"] |= changes
    return _instead(config_json=json.dumps(about).encode())


def _unsound_weights() -> bytes:
    weights = {name: w.clone() for name, w in load_model().transformer.named_parameters()}
    next(iter(weights.values())).view(-1)[0] = float("nan")
    return _instead(model_safetensors=save(weights))


BAD_MODELS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "another zip": ("file_foreign", lambda: zipped({"word/document.xml": b"<xml/>"})),
    "a path outside": ("file_foreign", lambda: zipped({**model_files(), "../../evil.sh": b"rm"})),
    "an absolute path": (
        "file_foreign", lambda: zipped({f"/{n}": d for n, d in model_files().items()}),
    ),
    "a further file": (
        "file_foreign", lambda: zipped({**model_files(), "mine-1/code.py": b"import os"}),
    ),
    "no weights": ("file_foreign", lambda: _instead(model_safetensors=None)),
    "cut": ("file_damaged", lambda: model_file()[: len(model_file()) // 2]),
    "bits changed": (
        "file_damaged", lambda: model_file()[:90] + b"\xff\xff\xff" + model_file()[93:],
    ),
    "no JSON": ("file_damaged", lambda: _instead(config_json=b"{")),
    "deep JSON": ("file_damaged", lambda: _instead(vocabulary_json=b"[" * 99_999)),
    "another vocabulary": ("file_damaged", lambda: _instead(vocabulary_json=b'{"pieces": [1, 2]}')),
    "a history of something else": ("file_damaged", lambda: _instead(history_json=b'{"curve": 3}')),
    "a pickle for weights": ("file_damaged", lambda: _instead(model_safetensors=pickle.dumps([1]))),
    "NaN": ("file_damaged", lambda: _unsound_weights()),
    "too many layers": ("file_damaged", lambda: _config(encoder_layers=100_000)),
    "too wide": ("file_damaged", lambda: _config(d_model=2**62)),
    "another width": ("file_damaged", lambda: _config(d_model=96)),
    "more layers": ("file_damaged", lambda: _config(encoder_layers=3)),
    "a long config": ("file_large", lambda: _instead(config_json=b" " * 2**20)),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_MODELS)
def test_a_zip_that_is_no_model_is_refused(name: str, tmp_path: Path) -> None:
    key, make = BAD_MODELS[name]
    data = make()
    assert refused(lambda: unpack(data, tmp_path)) == key


def test_a_zip_that_lies_about_its_size_is_not_unpacked(tmp_path: Path) -> None:
    """The limit holds for what comes out, whatever the zip says beforehand."""
    data = bytearray(_instead(config_json=b" " * 2**24))
    with zipfile.ZipFile(BytesIO(bytes(data))) as archive:
        size = archive.getinfo("mine-1/config.json").file_size
    place = data.find(struct.pack("<I", size))
    while place >= 0:
        data[place : place + 4] = struct.pack("<I", 100)
        place = data.find(struct.pack("<I", size))
    assert len(data) < 2**22
    key = refused(lambda: unpack(bytes(data), tmp_path))
    assert key in ("file_damaged", "file_large")
    assert not list(tmp_path.iterdir())


def test_the_bundled_model_is_packed_whole() -> None:
    with zipfile.ZipFile(BytesIO(models.pack(CHECKPOINTS / "translator", "copy"))) as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == set(models.FILES)
