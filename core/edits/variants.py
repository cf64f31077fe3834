"""Which model an experiment belongs to, and the model of another config that it may run on."""

from __future__ import annotations

import hashlib
import json

import torch
from torch import nn

from core.config import ModelConfig
from core.errors import GlassformerError
from core.model.shell import shell_of
from core.translator import Translator


def with_config(model: Translator, config: ModelConfig) -> Translator:
    """The translator as another config runs it, sharing the weights; itself for its own config.

    Nothing is copied, nothing is written to the shared model, no random number is drawn. A final
    norm that the model lacks starts as norms start (γ = 1) and is the only thing that is new.

    Raises `GlassformerError("config", …)` where the new convention needs weights that the model
    has not learned, such as a position table, or weights of another shape.
    """
    if config == model.config:
        return model
    other = shell_of(config)  # its parts are filled below
    learned = dict(model.transformer.named_parameters(remove_duplicate=False))
    for name, empty in list(other.named_parameters(remove_duplicate=False)):
        owner, _, last = name.rpartition(".")
        setattr(other.get_submodule(owner), last, _weight(name, empty, learned, model))
    return Translator(other, model.tokenizer, model.name, model.calibration)


def _weight(
    name: str, empty: nn.Parameter, learned: dict[str, nn.Parameter], model: Translator
) -> nn.Parameter:
    found, last = learned.get(name), name.rpartition(".")[2]
    if found is not None and found.shape == empty.shape:
        return found
    if found is None and last in ("gamma", "beta"):
        start = 1.0 if last == "gamma" else model.config.norm_initial_shift
        filled = torch.full(empty.shape, start, device=model.device)
        return nn.Parameter(filled, requires_grad=False)
    shape = "absent" if found is None else tuple(found.shape)
    problem = f"its weights have no {name} of shape {tuple(empty.shape)} ({shape})"
    raise GlassformerError("config", problem=problem)


def fingerprint(model: Translator) -> str:
    """16 hexadecimal digits that tell one model from another: config, words and weights."""
    about = [model.config.to_dict(), list(model.tokenizer.vocabulary.pieces)]
    mark = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name, weight in sorted(model.transformer.named_parameters()):
        mark.update(name.encode())
        mark.update(weight.detach().cpu().contiguous().numpy().tobytes())
    return mark.hexdigest()[:16]
