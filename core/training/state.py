"""An interrupted run on disk: weights, the optimisers' moments, step and curve. Never a pickle.

state.json                    step, recipe, curve, and the name of the tensors' file
state-000250.safetensors      weights and moments of that step

A run may be killed at any moment: state.json, replaced as a whole, always names a whole file.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from core.errors import GlassformerError
from core.stored import UNREADABLE, read_json_file
from core.training.curve import Curve
from core.training.loop import Trainer
from core.training.optimiser import MOMENTS

FACTS = "state.json"


def save_state(trainer: Trainer, folder: Path) -> None:
    """Writes everything that a run needs to go on as if nothing had happened."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for name, parameter in trainer.model.named_parameters():
        tensors[f"weights/{name}"] = parameter.detach().cpu().contiguous()
        for moment, value in trainer.optimiser.moments(parameter).items():
            tensors[f"{moment}/{name}"] = value.cpu().contiguous()
    name = f"state-{trainer.step:06d}.safetensors"
    _replace(folder / name, lambda path: save_file(tensors, path))
    facts = {
        "step": trainer.step,
        "tensors": name,
        "recipe": trainer.recipe.to_dict(),
        "vocabulary": _fingerprint(trainer),
        "curve": trainer.curve.to_dict(),
    }
    text = json.dumps(facts, indent=2) + "\n"
    _replace(folder / FACTS, lambda path: path.write_text(text, encoding="utf-8"))
    for old in folder.glob("state-*.safetensors"):
        if old.name != name:
            old.unlink()


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file beside `path`, down to the disk, and puts it there: nobody sees half of it."""
    unfinished = path.with_name(f"{path.name}.new")
    write(unfinished)
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished.replace(path)


def stored_recipe(folder: Path) -> dict[str, Any]:
    """The recipe of the run in a folder; `GlassformerError("training", …)` if there is none."""
    return dict(_facts(folder)["recipe"])


def load_state(trainer: Trainer, folder: Path) -> None:
    """Puts a trainer of the same recipe where the stored run stopped."""
    facts = _facts(folder)
    if facts["vocabulary"] != _fingerprint(trainer):
        problem = f"the grammar's words have changed since the run in {folder.name} began"
        raise GlassformerError("training", problem=problem)
    try:
        tensors = load_file(folder / Path(facts["tensors"]).name)
        with torch.no_grad():
            for name, parameter in trainer.model.named_parameters():
                parameter.copy_(tensors[f"weights/{name}"])
                found = {m: tensors[f"{m}/{name}"] for m in MOMENTS if f"{m}/{name}" in tensors}
                if found:
                    trainer.optimiser.remember(parameter, int(facts["step"]), found)
        trainer.step = int(facts["step"])
        trainer.curve = Curve.from_dict(facts["curve"])
    except (*UNREADABLE, RuntimeError) as error:
        raise _unreadable(folder, error) from error


def _facts(folder: Path) -> dict[str, Any]:
    try:
        facts = read_json_file(folder / FACTS)
        return {name: facts[name] for name in ("step", "tensors", "recipe", "vocabulary", "curve")}
    except UNREADABLE as error:
        raise _unreadable(folder, error) from error


def _fingerprint(trainer: Trainer) -> int:
    return zlib.crc32(" ".join(trainer.tokenizer.vocabulary.pieces).encode())


def _unreadable(folder: Path, error: Exception) -> GlassformerError:
    problem = f"no run can be resumed from {folder.name} ({type(error).__name__}: {error})"
    return GlassformerError("training", problem=problem)
