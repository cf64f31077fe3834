"""A model as a folder: config.json, vocabulary.json, model.safetensors. Never a pickle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from core.config import ModelConfig
from core.device import choose_device
from core.errors import GlassformerError
from core.model.transformer import Transformer
from core.text.tokenizer import Tokenizer
from core.translator import Translator

CHECKPOINTS = Path(__file__).resolve().parent.parent / "assets" / "checkpoints"
DEFAULT = "translator"


def list_models() -> tuple[str, ...]:
    """The bundled models, the default first."""
    found = sorted(folder.parent.name for folder in CHECKPOINTS.glob("*/config.json"))
    return tuple(sorted(found, key=lambda name: name != DEFAULT))


def save_model(
    folder: str | Path,
    transformer: Transformer,
    tokenizer: Tokenizer,
    extra: dict[str, Any] | None = None,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Writes a model so that `load_model(folder)` gives it back.

    Args:
        folder: created when missing; files of the same names are replaced.
        transformer: its weights are stored once, tied ones too, as `dtype`.
        tokenizer: its vocabulary is stored.
        extra: further facts for config.json (the training recipe, …); plain JSON values.
        dtype: float16 halves the size; computing is always done in float32.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = {"format": 1, "model": transformer.config.to_dict(), **(extra or {})}
    text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")
    tokenizer.save(folder)
    weights = {
        name: parameter.detach().to("cpu", dtype).contiguous()
        for name, parameter in transformer.named_parameters()  # each tied parameter once
    }
    save_file(weights, folder / "model.safetensors")


def load_model(name_or_folder: str | Path | None = None) -> Translator:
    """A translator ready to run, on the best device here (GLASSFORMER_DEVICE overrides).

    Args:
        name_or_folder: a bundled model's name, or a folder written by `save_model`; None loads the
            bundled translator.

    Raises:
        GlassformerError: `checkpoint_missing`, `checkpoint_damaged`, or `checkpoint_mismatch`
            where weights, config and vocabulary do not belong together.
    """
    folder = _folder(name_or_folder or DEFAULT)
    try:
        config = ModelConfig.from_dict(_read_json(folder / "config.json")["model"])
        tokenizer = Tokenizer.load(folder)
        weights = load_file(folder / "model.safetensors")
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        problem = error.args[0] if error.args else type(error).__name__
        raise GlassformerError("checkpoint_damaged", path=folder.name, problem=problem) from error
    transformer = Transformer(config)
    _check(transformer, tokenizer, weights, folder)
    missing = {k: v.float() for k, v in weights.items()}
    transformer.load_state_dict(missing, strict=False)  # checked above; tied names are not stored
    return Translator(transformer.to(choose_device()), tokenizer, folder.name)


def _folder(name_or_folder: str | Path) -> Path:
    for folder in (CHECKPOINTS / name_or_folder, Path(name_or_folder)):
        if (folder / "config.json").is_file():
            return folder
    raise GlassformerError("checkpoint_missing", path=name_or_folder)


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _check(
    transformer: Transformer, tokenizer: Tokenizer, weights: dict[str, torch.Tensor], folder: Path
) -> None:
    expected = {name: tuple(p.shape) for name, p in transformer.named_parameters()}
    found = {name: tuple(weight.shape) for name, weight in weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            problem = f"{name} is {found.get(name, 'absent')}, not {expected.get(name, 'expected')}"
            raise GlassformerError("checkpoint_mismatch", path=folder.name, problem=problem)
    if len(tokenizer.vocabulary) != transformer.config.vocabulary_size:
        problem = (
            f"the vocabulary has {len(tokenizer.vocabulary)} pieces, "
            f"the config says {transformer.config.vocabulary_size}"
        )
        raise GlassformerError("checkpoint_mismatch", path=folder.name, problem=problem)
