"""Fetching a model's folder from a hub: the only step that goes online, and only when asked."""

import re
from pathlib import Path

import torch
from huggingface_hub import HfApi
from safetensors.torch import save_file

from glassformer.core.errors import GlassformerError
from glassformer.core.weights.read import INDEX, WEIGHTS, damaged_folder

NAME = re.compile(r"(?:[\w.-]{1,96}/)?[\w.-]{1,96}")
WANTED = (
    "config.json", "generation_config.json", "tokenizer.json", "source.spm", "target.spm",
    "vocab.json", "target_vocab.json", "README.md", "vocab.txt", "merges.txt", "added_tokens.json",
    "tokenizer_config.json", "chat_template.jinja", "chat_template.json",
)  # fmt: skip
SAFE, PICKLED = ("model*.safetensors", INDEX), ("pytorch_model*.bin",)


def fetch_model(name: str, folder: Path, endpoint: str | None = None) -> Path:
    """Fetches the files of a model into a folder; a pickle is fetched where nothing else is.

    Args:
        name: of the model on the hub, with its owner or without.
        folder: where the files go; made where it is not there.
        endpoint: of another hub than the usual one; None: the usual one.

    Returns:
        The folder.

    Raises:
        GlassformerError: `weights_fetch` for what is no name, is not there or cannot be reached,
            `weights_damaged` for a pickle that holds more than tensors.
    """
    if not NAME.fullmatch(name) or ".." in name:
        raise GlassformerError("weights_fetch", name=name, problem="it is no name of a model")
    hub = HfApi(endpoint=endpoint)
    try:
        there = hub.list_repo_files(name)
        safe = any(file.endswith(".safetensors") for file in there)
        patterns = [*WANTED, *(SAFE if safe else PICKLED)]
        hub.snapshot_download(name, local_dir=folder, allow_patterns=patterns)
    except Exception as error:  # of many libraries: no connection, no such name, no access, …
        problem = str(error).strip().partition("\n")[0] or type(error).__name__
        raise GlassformerError("weights_fetch", name=name, problem=problem) from error
    if not safe:
        as_safetensors(folder)
    return folder


def as_safetensors(folder: Path) -> None:
    """Writes the tensors of a folder's pickles as one file of safetensors beside them.

    Nothing else than tensors is read (`weights_only`).

    Args:
        folder: with files `pytorch_model*.bin`.

    Raises:
        GlassformerError: `weights_damaged` for a pickle that is cut or holds more, and for a folder
            without any.
    """
    found = dict[str, torch.Tensor]()
    for path in sorted(folder.glob(PICKLED[0])):
        try:
            held = torch.load(path, map_location="cpu", weights_only=True)
            found |= {
                name: each.clone().contiguous()
                for name, each in held.items()
                if isinstance(each, torch.Tensor)
            }
        except Exception as error:  # whatever a damaged or hostile pickle raises
            raise damaged_folder(
                folder, f"{path.name} holds more than tensors, or is cut"
            ) from error
    if not found:
        raise damaged_folder(folder, f"it holds no {PICKLED[0]}")
    save_file(found, folder / WEIGHTS, metadata={"format": "pt"})
