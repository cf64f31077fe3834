"""A model as a folder: config.json, vocabulary.json, model.safetensors. Never a pickle.

A trained one also has history.json and snapshots/step-000400.safetensors, the weights on the way
in eight bits (in sixteen, those of older ones); `load_model("translator@400")` is the translator as
it was after 400 steps.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from glassformer.core.analysis.confidence import Calibration
from glassformer.core.analysis.head_roles import MeasuredHead
from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import (
    DTYPES,
    Device,
    Dtype,
    choose_device,
    choose_dtype,
    move_model,
)
from glassformer.core.model.shell import shell_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.words import load_tokenizer
from glassformer.core.text_models.history import History, read_history
from glassformer.core.text_models.translator import Translator
from glassformer.core.untrusted import (
    UNREADABLE,
    Stored,
    problem_of,
    read_json_file,
    table_of,
    tensor_header,
)

CHECKPOINTS = Path(__file__).resolve().parents[2] / "assets" / "checkpoints"
DEFAULT = "translator"
WEIGHTS, SNAPSHOTS, CALIBRATION = "model.safetensors", "snapshots", "confidence.json"
LESSONS = ("alignment", "antecedent")  # what heads are taught, see `core.training.loss`
SCALE = "/scale"  # added to the name of a matrix
LARGEST = 127


def list_models() -> tuple[str, ...]:
    """The bundled translators, the default first.

    Returns:
        The names of their folders under assets/checkpoints, the others in alphabetical order; the
        small GPT beside them is none: `core.weights.load` opens it.
    """
    return _models_in(CHECKPOINTS)


@lru_cache(maxsize=8)  # every rerun of the app asks some twelve times; they change with the code
def _models_in(folder: Path) -> tuple[str, ...]:
    found = sorted(words.parent.name for words in folder.glob("*/vocabulary.json"))
    return tuple(sorted(found, key=lambda name: name != DEFAULT))


def save_model(
    folder: str | Path,
    transformer: Transformer,
    tokenizer: Tokenizer,
    extra: dict[str, Any] | None = None,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Writes a model so that `load_model(folder)` gives it back; tied weights are stored once.

    Args:
        folder: where it is written; created when missing.
        transformer: the model; its config is written, too.
        tokenizer: its words.
        extra: further facts for config.json (the training recipe, …), plain JSON values; None for
            none.
        dtype: how the weights are stored. float16 halves the size; computing is always done in
            float32.
    """
    save_about(folder, transformer.config, tokenizer, extra)
    save_file(_weights(transformer, dtype), Path(folder) / WEIGHTS)


def save_about(
    folder: str | Path,
    config: ModelConfig,
    tokenizer: Tokenizer,
    extra: dict[str, Any] | None = None,
) -> None:
    """Writes config.json and vocabulary.json: all of a model but its weights.

    Args:
        folder: where they are written; created when missing.
        config: the sizes and conventions of the model.
        tokenizer: its words.
        extra: further facts for config.json, plain JSON values; None for none. They replace
            "format" and "model" where they have such a name.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = {"format": 1, "model": config.to_dict(), **(extra or {})}
    text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")
    tokenizer.save(folder)


def save_snapshot(folder: str | Path, transformer: Transformer, step: int) -> None:
    """Writes the weights of one step of a run, in eight bits, beside config and vocabulary.

    The file appears under its name only when it is complete.

    Args:
        folder: of the model; the folder of the snapshots in it is created when missing.
        transformer: the model as it is at that step.
        step: steps of training done.
    """
    path = snapshot_file(Path(folder), step)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    save_file(to_int8(_weights(transformer)), unfinished)
    unfinished.replace(path)


def snapshot_file(folder: Path, step: int) -> Path:
    """Where the weights of a step lie; those of the end are the model's own file.

    Args:
        folder: of the model.
        step: steps of training done.

    Returns:
        The path in its folder of snapshots; whether there is such a file is not asked.
    """
    return folder / SNAPSHOTS / f"step-{step:06d}.safetensors"


def load_model(
    name_or_folder: str | Path | None = None, device: Device = None, dtype: Dtype = None
) -> Translator:
    """A translator ready to run, on the best device here (GLASSFORMER_DEVICE overrides).

    Args:
        name_or_folder: a bundled model's name, or a folder written by `save_model`; followed by
            "@400", the model as it was at that step of its training. None loads the bundled
            translator.
        device: where it runs, such as "cuda"; None for the best device here.
        dtype: in which numbers it computes, "float32" (None), "bfloat16", "float16" or "float64";
            "auto" for those that are stored.

    Returns:
        The translator; its `name` is the folder's, with the step if one was given.

    Raises:
        GlassformerError: as `choose_device`, `choose_dtype` and `move_model` of core.model.device;
            `checkpoint_missing`, `snapshot_missing`, `checkpoint_damaged`, `config`
            for settings that cannot be, or `checkpoint_mismatch` where weights, config and
            vocabulary do not belong together: nothing of the size that a folder claims is built
            before that is known. `device` or `setting` for a GLASSFORMER_DEVICE that this machine
            or nobody has.
    """
    there, numbers = choose_device(device), choose_dtype(dtype)
    folder, step = _folder_and_step(name_or_folder or DEFAULT)
    path = _weights_file(folder, step)
    try:
        config = ModelConfig.from_dict(read_json_file(folder / "config.json")["model"])
        tokenizer = load_tokenizer(folder)
        stored = as_floats(tensor_header(path)[1])
        if problem := next(_misfits(config, tokenizer, stored), None):
            raise GlassformerError("checkpoint_mismatch", path=folder.name, problem=problem)
        held = load_file(path)
        weights = from_int8(held)
        calibration = _read_calibration(folder)
    except GlassformerError:
        raise
    except UNREADABLE as error:
        raise _damaged(folder, error) from error
    transformer = Transformer(config)
    transformer.load_state_dict(weights, strict=False)  # checked above; tied names are not stored
    name = folder.name if step is None else f"{folder.name}@{step}"
    kept = {each.dtype for each in held.values()} & set(DTYPES.values())
    move_model(transformer, there, numbers or max(kept, key=lambda each: each.itemsize))
    return Translator(transformer, tokenizer, name, calibration)


def list_snapshots(name_or_folder: str | Path) -> tuple[int, ...]:
    """The steps that a model can be loaded at.

    Args:
        name_or_folder: as for `load_model`; a step after "@" is passed over.

    Returns:
        The steps, ascending, the end included; () without history.

    Raises:
        GlassformerError: `checkpoint_missing` or `checkpoint_damaged`.
    """
    history = load_history(name_or_folder)
    return history.steps if history else ()


def load_history(name_or_folder: str | Path) -> History | None:
    """How a model was trained.

    Args:
        name_or_folder: as for `load_model`; a step after "@" is passed over.

    Returns:
        The loss curve and what was measured at the snapshots; None for a model without history.

    Raises:
        GlassformerError: `checkpoint_missing` or `checkpoint_damaged`.
    """
    return read_history(_folder_and_step(name_or_folder)[0])


def load_exact_match(name_or_folder: str | Path) -> dict[str, tuple[int, int]]:
    """How many held-out sentences a model translates exactly, as its card has it.

    Args:
        name_or_folder: as for `load_model`; a step after "@" is passed over.

    Returns:
        (right, of all) by direction, `en-zh` and `zh-en`; {} where it is not measured or cannot be
        read.
    """
    with suppress(OSError, AttributeError, KeyError, TypeError, ValueError):
        found = _metrics(name_or_folder)["exact_match"]
        return {way: (int(each["right"]), int(each["total"])) for way, each in found.items()}
    return {}


def load_heads(name_or_folder: str | Path) -> tuple[MeasuredHead, ...]:
    """What the model card measured of each head.

    Args:
        name_or_folder: as for `load_model`; a step after "@" is passed over.

    Returns:
        The heads as the card lists them; () for a model that was not measured, or whose card cannot
        be read.
    """
    with suppress(OSError, AttributeError, KeyError, TypeError, ValueError):
        found = _metrics(name_or_folder)
        if "words" in found["heads"]:  # a small GPT's
            return MeasuredHead.from_scores(found["heads"]["words"])
        right = found["knock_out"].get("nothing", {}).get("unchanged", {})
        return tuple(MeasuredHead.from_dict(head, right) for head in found["heads"])
    return ()


def _metrics(name_or_folder: str | Path) -> dict[str, Any]:
    return read_json_file(_folder_and_step(name_or_folder)[0] / "metrics.json")


def load_about(name_or_folder: str | Path) -> dict[str, Any]:
    """What config.json tells: "model", "training" (the recipe), "taught" (heads that were taught).

    Args:
        name_or_folder: as for `load_model`; a step after "@" is passed over.

    Returns:
        The facts by name. "taught" holds, by "alignment" and "antecedent", the address of the
        attention weights and the number of the head, or None for the mean of the layer's heads; it
        is absent in a plain model.

    Raises:
        GlassformerError: `checkpoint_missing` or `checkpoint_damaged`.
    """
    folder = _folder_and_step(name_or_folder)[0]
    path = folder / "config.json"
    try:
        return dict(_read_about(path, path.stat().st_mtime_ns))
    except UNREADABLE as error:
        raise _damaged(folder, error) from error


@lru_cache(maxsize=32)
def _read_about(path: Path, _changed: int) -> dict[str, Any]:
    about = read_json_file(path)
    for lesson, place in table_of(about.get("taught") or {}, dict, "taught").items():
        head = place.get("head")
        known = lesson in LESSONS and isinstance(place.get("address"), str)
        if not known or not (head is None or isinstance(head, int)):
            raise ValueError(f"taught names no head for {lesson}")
    return about


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


def _weights(transformer: Transformer, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """Each parameter by its name, tied ones once."""
    return {
        name: parameter.detach().to("cpu", dtype).contiguous()
        for name, parameter in transformer.named_parameters()
    }


def _read_calibration(folder: Path) -> dict[str, Any]:
    """What `python -m glassformer calibrate` wrote beside the weights; {} where it did not."""
    path = folder / CALIBRATION
    return Calibration.from_dict(read_json_file(path)).to_dict() if path.is_file() else {}


def _damaged(folder: Path, error: Exception) -> GlassformerError:
    return GlassformerError("checkpoint_damaged", path=folder.name, problem=problem_of(error))


def _misfits(config: ModelConfig, tokenizer: Tokenizer, stored: dict[str, Stored]) -> Iterator[str]:
    """Where what the config asks for is not what the header of the weights tells."""
    expected = {name: tuple(p.shape) for name, p in shell_of(config).named_parameters()}
    found = {name: each.shape for name, each in stored.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            yield f"{name} is {found.get(name, 'absent')}, not {expected.get(name, 'expected')}"
        elif not stored[name].is_float:
            yield f"{name} holds {stored[name].dtype}, not floating-point numbers"
    pieces, size = len(tokenizer.vocabulary), config.vocabulary_size
    if pieces != size:
        yield f"the vocabulary has {pieces} pieces, the config says {size}"


def to_int8(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as int8 with a scale for each row, everything else as float16.

    A row of the largest absolute value m keeps its numbers to within m / 254. That does for the
    snapshots of a training, which are there to be looked at; the finished weights are exact.

    Args:
        weights: parameters by name.

    Returns:
        The same names, a matrix (R, C) as int8; its scales (R,) float32 under the name with
        "/scale" added.
    """
    found: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.dim() != 2:
            found[name] = weight.half()
            continue
        largest = weight.float().abs().amax(dim=1)  # (R,)
        scale = torch.where(largest > 0, largest / LARGEST, torch.ones_like(largest))
        found[name] = (weight.float() / scale[:, None]).round().to(torch.int8)
        found[name + SCALE] = scale
    return found


def from_int8(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of such a file in float32; other weights as they are, in float32 too.

    Args:
        stored: what `to_int8` gives, or weights of another kind, by name.

    Returns:
        Each parameter by its name, without the scales.
    """
    return {
        name: weight.float() * stored[name + SCALE][:, None]
        if name + SCALE in stored
        else weight.float()
        for name, weight in stored.items()
        if not name.endswith(SCALE)
    }


def as_floats(header: Mapping[str, Stored]) -> dict[str, Stored]:
    """What a header says of the weights that `from_int8` gives; what does not fit stays.

    Args:
        header: types and shapes by name, as a file has them.

    Returns:
        The same, with a matrix of eight bits and its scales as one matrix of type F32.
    """
    found = dict(header)
    for name, matrix in header.items():
        scale = header.get(name + SCALE)
        if scale is not None and matrix.dtype == "I8" and scale.shape == matrix.shape[:1]:
            found[name] = Stored("F32", matrix.shape)
            if scale.is_float:
                del found[name + SCALE]
    return found
