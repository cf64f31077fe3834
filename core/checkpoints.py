"""A model as a folder: config.json, vocabulary.json, model.safetensors. Never a pickle.

A trained one also has history.json and snapshots/step-000400.safetensors, the weights on the way;
`load_model("translator@400")` is the translator as it was after 400 steps.
"""

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
from core.history import History, read_history
from core.model.transformer import Transformer
from core.reading.confidence import Calibration
from core.text.tokenizer import Tokenizer
from core.text.words import load_tokenizer
from core.translator import Translator

CHECKPOINTS = Path(__file__).resolve().parent.parent / "assets" / "checkpoints"
DEFAULT = "translator"
WEIGHTS, SNAPSHOTS, CALIBRATION = "model.safetensors", "snapshots", "confidence.json"


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
    save_about(folder, transformer.config, tokenizer, extra)
    _save_weights(Path(folder) / WEIGHTS, transformer, dtype)


def save_about(
    folder: str | Path,
    config: ModelConfig,
    tokenizer: Tokenizer,
    extra: dict[str, Any] | None = None,
) -> None:
    """Writes config.json and vocabulary.json: all of a model but its weights."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = {"format": 1, "model": config.to_dict(), **(extra or {})}
    text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")
    tokenizer.save(folder)


def save_snapshot(
    folder: str | Path, transformer: Transformer, step: int, dtype: torch.dtype = torch.float16
) -> None:
    """Writes the weights of one step of a run; config and vocabulary are those of the folder."""
    path = snapshot_file(Path(folder), step)
    path.parent.mkdir(parents=True, exist_ok=True)
    _save_weights(path, transformer, dtype)


def snapshot_file(folder: Path, step: int) -> Path:
    """Where the weights of a step lie; those of the end are the model's own file."""
    return folder / SNAPSHOTS / f"step-{step:06d}.safetensors"


def load_model(name_or_folder: str | Path | None = None) -> Translator:
    """A translator ready to run, on the best device here (GLASSFORMER_DEVICE overrides).

    Args:
        name_or_folder: a bundled model's name, or a folder written by `save_model`; followed by
            "@400", the model as it was at that step of its training. None loads the bundled
            translator. The translator's `name` is the folder's, with the step if one was given.

    Raises:
        GlassformerError: `checkpoint_missing`, `snapshot_missing`, `checkpoint_damaged`, or
            `checkpoint_mismatch` where weights, config and vocabulary do not belong together.
    """
    folder, step = _folder_and_step(name_or_folder or DEFAULT)
    path = _weights_file(folder, step)
    try:
        config = ModelConfig.from_dict(_read_json(folder / "config.json")["model"])
        tokenizer = load_tokenizer(folder)
        weights = load_file(path)
        calibration = _read_calibration(folder)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        problem = error.args[0] if error.args else type(error).__name__
        raise GlassformerError("checkpoint_damaged", path=folder.name, problem=problem) from error
    transformer = Transformer(config)
    _check(transformer, tokenizer, weights, folder)
    exact = {name: weight.float() for name, weight in weights.items()}
    transformer.load_state_dict(exact, strict=False)  # checked above; tied names are not stored
    name = folder.name if step is None else f"{folder.name}@{step}"
    return Translator(transformer.to(choose_device()), tokenizer, name, calibration)


def list_snapshots(name_or_folder: str | Path) -> tuple[int, ...]:
    """The steps that a model can be loaded at, ascending, the end included; () without history."""
    history = load_history(name_or_folder)
    return history.steps if history else ()


def load_history(name_or_folder: str | Path) -> History | None:
    """How a model was trained; None for one without history. A step after "@" is passed over."""
    return read_history(_folder_and_step(name_or_folder)[0])


def load_exact_match(name_or_folder: str | Path) -> dict[str, tuple[int, int]]:
    """What the model card counts on held-out sentences: (right, of all) by "en-zh" and "zh-en".

    Empty for a model that `make evaluate` has not measured.
    """
    try:
        found = _read_json(_folder_and_step(name_or_folder)[0] / "metrics.json")["exact_match"]
        return {way: (int(each["right"]), int(each["total"])) for way, each in found.items()}
    except (OSError, AttributeError, KeyError, TypeError, ValueError):
        return {}


def load_about(name_or_folder: str | Path) -> dict[str, Any]:
    """What config.json tells: "model", "training" (the recipe), "taught" (heads that were taught).

    "taught" holds, by "alignment" and "antecedent", the address of the attention weights and the
    number of the head, or None for the mean of the layer's heads; it is absent in a plain model.
    """
    folder = _folder_and_step(name_or_folder)[0]
    try:
        return dict(_read_json(folder / "config.json"))
    except (OSError, TypeError, ValueError) as error:
        raise GlassformerError("checkpoint_damaged", path=folder.name, problem=error) from error


def _folder_and_step(name_or_folder: str | Path) -> tuple[Path, int | None]:
    """The folder, and the step after "@": a folder that has such a name itself comes first."""
    name, _, step = str(name_or_folder).rpartition("@")
    candidates: list[tuple[str, int | None]] = [(str(name_or_folder), None)]
    if name and step.isdecimal():
        candidates.append((name, int(step)))
    for given, at in candidates:
        for folder in (CHECKPOINTS / given, Path(given)):
            if (folder / "config.json").is_file():
                return folder, at
    raise GlassformerError("checkpoint_missing", path=name_or_folder)


def _weights_file(folder: Path, step: int | None) -> Path:
    if step is None:
        return folder / WEIGHTS
    history = read_history(folder)
    steps = history.steps if history else ()
    if step not in steps:
        known = ", ".join(map(str, steps)) or "-"
        raise GlassformerError("snapshot_missing", path=folder.name, step=step, steps=known)
    path = snapshot_file(folder, step)  # while a run goes on, its last step is a snapshot too
    return folder / WEIGHTS if step == steps[-1] and not path.is_file() else path


def _save_weights(path: Path, transformer: Transformer, dtype: torch.dtype) -> None:
    weights = {
        name: parameter.detach().to("cpu", dtype).contiguous()
        for name, parameter in transformer.named_parameters()  # each tied parameter once
    }
    save_file(weights, path)


def _read_calibration(folder: Path) -> dict[str, Any]:
    """What `python -m core calibrate` wrote beside the weights; {} where it did not."""
    path = folder / CALIBRATION
    return Calibration.from_dict(_read_json(path)).to_dict() if path.is_file() else {}


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
