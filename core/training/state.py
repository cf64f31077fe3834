"""An interrupted run on disk: weights, the optimisers' moments, step and curve. Never a pickle."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from core.errors import GlassformerError
from core.stored import UNREADABLE, read_json_file
from core.training.curve import Curve
from core.training.loop import Trainer
from core.training.optimiser import MOMENTS

TENSORS, FACTS = "state.safetensors", "state.json"


def save_state(trainer: Trainer, folder: Path) -> None:
    """Writes everything that a run needs to go on as if nothing had happened."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for name, parameter in trainer.model.named_parameters():
        tensors[f"weights/{name}"] = parameter.detach().cpu().contiguous()
        for moment, value in trainer.optimiser.moments(parameter).items():
            tensors[f"{moment}/{name}"] = value.cpu().contiguous()
    save_file(tensors, folder / f"{TENSORS}.new")
    facts = {
        "step": trainer.step,
        "recipe": trainer.recipe.to_dict(),
        "vocabulary": _fingerprint(trainer),
        "curve": trainer.curve.to_dict(),
    }
    (folder / f"{FACTS}.new").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    for name in (TENSORS, FACTS):  # whole files change places: nobody reads half a state
        (folder / f"{name}.new").replace(folder / name)


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
        tensors = load_file(folder / TENSORS)
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
        return {name: facts[name] for name in ("step", "recipe", "vocabulary", "curve")}
    except UNREADABLE as error:
        raise _unreadable(folder, error) from error


def _fingerprint(trainer: Trainer) -> int:
    return zlib.crc32(" ".join(trainer.tokenizer.vocabulary.pieces).encode())


def _unreadable(folder: Path, error: Exception) -> GlassformerError:
    problem = f"no run can be resumed from {folder.name} ({type(error).__name__}: {error})"
    return GlassformerError("training", problem=problem)
