"""A rerun asks the disk for nothing: what is bundled changes with the code, the rest is told."""

import builtins
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glassformer.app.runs import models
from glassformer.core.text_models.checkpoints import CHECKPOINTS, DEFAULT
from glassformer.core.weights.load import SMALL_GPT
from tests.architecture.sources import ROOT
from tests.opened_app import opened

PAGES = (
    "translate", "walkthrough", "attention", "vectors", "decoding", "switch", "training", "lab",
    "tensors", "lectures",
)  # fmt: skip
WAYS = (
    (os, "stat"), (os, "scandir"), (os, "listdir"), (os, "mkdir"), (os, "access"), (os, "open"),
    (io, "open"), (builtins, "open"),
)  # fmt: skip
OF_STREAMLIT = {f"stat {ROOT / name}" for name in ("app.py", "pages")}  # each run: its own pages


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the disk is asked, as it is."""
    found: list[str] = []

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any = ".", *given: Any, **named: Any) -> Any:
            found.append(f"{name} {path}")
            return real(path, *given, **named)

        return call

    for module, name in WAYS:
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    return found


def test_what_is_asked_is_heard(asked: list[str]) -> None:
    folder = CHECKPOINTS / SMALL_GPT
    folder.stat()
    list(folder.iterdir())
    Path(folder / "config.json").read_text()
    assert {each.split()[0] for each in asked} >= {"stat", "open"} and len(asked) >= 2


@pytest.mark.parametrize("model", [DEFAULT, SMALL_GPT])
@pytest.mark.parametrize("page", PAGES)
def test_a_rerun_asks_the_disk_for_nothing(page: str, model: str, asked: list[str]) -> None:
    app = opened(page, model=model, text="My brother wants to")
    app.run()
    asked.clear()
    app.run()
    assert not app.exception and set(asked) <= OF_STREAMLIT


def test_a_model_that_is_trained_here_is_read_again(asked: list[str], tmp_path: Path) -> None:
    assert models.get_history(SMALL_GPT) is models.get_history(SMALL_GPT)
    assert models.get_history() is models.get_history(DEFAULT)
