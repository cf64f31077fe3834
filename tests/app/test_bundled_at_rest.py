"""What is bundled changes with the code: a rerun asks the disk nothing about it."""

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
from tests.opened_app import opened

WAYS = ((os, "stat"), (os, "scandir"), (os, "open"), (io, "open"), (builtins, "open"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The bundled files that the disk is asked for, as they are."""
    found: list[str] = []

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any = ".", *given: Any, **named: Any) -> Any:
            if str(path).startswith(str(CHECKPOINTS)):
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
@pytest.mark.parametrize("page", ["translate", "attention", "training"])
def test_a_rerun_asks_the_disk_for_nothing_that_is_bundled(
    page: str, model: str, asked: list[str]
) -> None:
    app = opened(page, model=model, text="My brother wants to")
    app.run()
    asked.clear()
    app.run()
    assert not app.exception and asked == []


def test_a_model_that_is_trained_here_is_read_again(asked: list[str], tmp_path: Path) -> None:
    assert models.get_history(SMALL_GPT) is models.get_history(SMALL_GPT)
    assert models.get_history() is models.get_history(DEFAULT)
