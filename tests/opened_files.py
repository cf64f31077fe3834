"""Files to open, good and bad, as bytes."""

import io
import json
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.core.analysis.export import run_bytes
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import Causal
from glassformer.core.opening.models import pack
from glassformer.core.text_models.checkpoints import CHECKPOINTS

SENTENCE = "I like you"


@cache
def run_file(text: str = SENTENCE) -> bytes:
    """A run of the bundled translator."""
    return run_bytes(load_model().trace(text))


def experiment_file(**sentence: str) -> bytes:
    """An experiment with its name and sentence."""
    return Experiment((Causal(),), "ahead").to_json(load_model(), sentence).encode()


@cache
def model_file(name: str = "mine-1") -> bytes:
    """A zip of the bundled translator, as a kept model is downloaded."""
    return pack(CHECKPOINTS / "translator", name)


def with_header(data: bytes, **about: Any) -> bytes:
    """The same run file with other facts in its header; `glassformer_trace` is the format."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    facts = header["__metadata__"]
    if "glassformer_trace" in about:
        facts["glassformer_trace"] = about.pop("glassformer_trace")
    facts["about"] = json.dumps({**json.loads(facts["about"]), **about})
    return joined(header, data[8 + size :])


def joined(header: dict[str, Any], rest: bytes) -> bytes:
    """A safetensors file of a header and what follows it."""
    written = json.dumps(header).encode()
    return len(written).to_bytes(8, "little") + written + rest


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip of files by their names."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def model_files(name: str = "mine-1") -> dict[str, bytes]:
    """What a good zip holds, by name."""
    with zipfile.ZipFile(io.BytesIO(model_file(name))) as archive:
        return {each: archive.read(each) for each in archive.namelist()}


def refused(read: Callable[[], Any]) -> str:
    """The key of the error that reading raises."""
    with pytest.raises(GlassformerError) as caught:
        read()
    return caught.value.key


def open_in(app: AppTest, name: str, data: bytes) -> None:
    """Press "Open…" and choose a file."""
    app.button(key="widget_open_file").click().run()
    uploader: Any = app.get("file_uploader")[0]
    uploader.set_value((name, data, "application/octet-stream")).run()
    assert not app.exception
