"""A folder of another program's model: what it is, said before memory is spent; then the model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import free_bytes
from glassformer.core.model.shell import shell_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.model import TaskKind
from glassformer.core.untrusted import UNREADABLE, problem_of, read_json_file, regular_file
from glassformer.core.weights.account import (
    GENERATOR,
    SOURCE,
    TABLES,
    TARGET,
    as_ours,
    locate_parameters,
    locate_tables,
)
from glassformer.core.weights.aside import LeftAside, generation_of, not_applied
from glassformer.core.weights.families import (
    bart,
    bert,
    distilbert,
    gpt2,
    llama,
    m2m100,
    marian,
    t5,
)
from glassformer.core.weights.family import Facts, Family, Theirs, head_of
from glassformer.core.weights.read import Shelf, damaged_folder, file_inside, shelf_of

FAMILIES: Mapping[str, Family] = {
    kind: each.FAMILY
    for each in (marian, bart, m2m100, t5, gpt2, bert, distilbert, llama)
    for kind in each.FAMILY.kinds
}
# What a head that classifies does, where the class of a model tells.
TRAINED = {"TokenClassification": "tagging", "MultipleChoice": "choice"}
BYTES = {torch.float32: 4, torch.float16: 2, torch.bfloat16: 2, torch.float64: 8}
DTYPES = {
    "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64,
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What lies in a folder, known from its config and the headers of its weights alone."""

    folder: Path
    kind: str  # `model_type`
    task: TaskKind
    config: ModelConfig
    facts: Mapping[str, Any]  # its config.json
    dtype: torch.dtype  # as stored
    licence: str  # "" where its card says none
    shelf: Shelf
    places: Mapping[str, Theirs]
    family: Family

    @property
    def left_aside(self) -> LeftAside:
        """What the folder holds and is not run here."""
        said = str(self.facts.get("architectures"))
        own = next((head for name, head in TRAINED.items() if name in said), "")
        named = (head_of(each) for each in self.shelf.stored)
        heads = dict.fromkeys(own if own and each == "classification" else each for each in named)
        heads.pop("", None)
        lends = self.config.has_generator and self.config.tie_generator
        ties = self.facts.get("tie_word_embeddings", self.family.ties)
        settings = not_applied(generation_of(self.folder) or self.facts)
        return LeftAside(tuple(heads), settings, lends and ties is False)

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""
        return sum(each.numel() for each in shell_of(self.config).parameters())

    def nbytes(self, widen: bool = True) -> int:
        """Memory that the weights take.

        Args:
            widen: True counts them in float32, False as they are stored.

        Returns:
            Bytes.
        """
        return self.parameters * (4 if widen else BYTES[self.dtype])


def is_foreign(folder: Path) -> bool:
    """Whether a folder's config.json is another program's, as far as it can be read.

    Args:
        folder: of a model; one that is not there is none.

    Returns:
        False for a folder of ours, and where nothing can be read.
    """
    try:
        about = read_json_file(folder / "config.json")
    except UNREADABLE:
        return False
    return "model" not in about and ("model_type" in about or "architectures" in about)


def look_into_folder(folder: Path) -> Found:
    """What a folder holds; not a number of its weights is read.

    Args:
        folder: with another program's config.json and weights as safetensors.

    Returns:
        What is known from the config and the headers of the weights.

    Raises:
        GlassformerError: `weights_…` in one sentence: a family or setting that is not computed
            here, files that are missing, damaged, elsewhere or a pickle, tensors that do not fit.
    """
    try:
        facts = read_json_file(file_inside(folder, "config.json"))
    except UNREADABLE as error:
        if isinstance(error, GlassformerError):
            raise
        raise damaged_folder(folder, f"config.json: {problem_of(error)}") from error
    family = family_of(facts, folder.name)
    return look_at_tensors(facts, family, shelf_of(folder, family.prefixes), licence_of(folder))


def family_of(facts: Mapping[str, Any], name: str) -> Family:
    """The family of a model, by what its config says.

    Args:
        facts: its config.json.
        name: what it is called in errors.

    Returns:
        The family.

    Raises:
        GlassformerError: `weights_family` for one that is not known, `weights_unsupported` for a
            model with code of its own or quantised numbers.
    """
    kind = facts.get("model_type")
    if "auto_map" in facts:
        what = "code of its own (auto_map), which is never run"
        raise GlassformerError("weights_unsupported", path=name, what=what)
    if not isinstance(kind, str) or kind not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise GlassformerError("weights_family", path=name, kind=kind or "?", known=known)
    if "quantization_config" in facts:
        what = "quantised numbers (quantization_config)"
        raise GlassformerError("weights_unsupported", path=name, what=what)
    return FAMILIES[kind]


def look_at_tensors(
    facts: Mapping[str, Any], family: Family, shelf: Shelf, licence: str = ""
) -> Found:
    """What a model is, of its config and the names and shapes of its tensors.

    Args:
        facts: its config.json.
        family: as `family_of` gives it.
        shelf: its tensors.
        licence: "" where none is known.

    Returns:
        What is known of it.

    Raises:
        GlassformerError: as `look_into_folder`.
    """
    folder, kind = shelf.folder, str(facts["model_type"])
    config = family.config(Facts(facts, folder.name, shelf.stored))
    places = locate_parameters(family, config, shelf)
    kinds = {shelf.stored[each.name].dtype for each in places.values()}
    dtype = max((DTYPES[each] for each in kinds), key=BYTES.__getitem__)
    return Found(folder, kind, family.task, config, facts, dtype, licence, shelf, places, family)


def as_held(found: Found) -> Found:
    """As the numbers have it: tables that the config ties and whose numbers differ are two.

    So does `transformers`.

    Args:
        found: what the config and the headers say.

    Returns:
        The same, or with another config and the places of the tables that are not tied.

    Raises:
        GlassformerError: `weights_spare` for a tensor that is computed here and holds something
            else.
    """
    own = locate_tables(found.family, found.config, found.shelf)

    def same(one: str, other: str) -> bool:
        names = [own[each].name for each in (one, other)]
        if names[0] == names[1]:
            return True
        held = [found.shelf.tensor(each) for each in names]
        return held[0].dtype == held[1].dtype and torch.equal(*held)

    was, written = found.config, TARGET if found.config.decoder_layers else SOURCE
    shared = was.share_embeddings and (not was.has_both or same(SOURCE, TARGET))
    tied = was.tie_generator and (not was.has_generator or same(GENERATOR, written))
    _check_spare(found)
    if (shared, tied) == (was.share_embeddings, was.tie_generator):
        return found
    config = replace(was, share_embeddings=shared, tie_generator=tied)
    names = {name for name, _ in shell_of(config).named_parameters()}
    further = {name: own[name] for name in TABLES if name in names}
    return replace(found, config=config, places={**found.places, **further})


def _check_spare(found: Found) -> None:
    """Raises `weights_spare` where other numbers lie there than are computed here."""
    used = {each.name for each in found.places.values()}
    for name, stored in found.shelf.stored.items():
        compute = None if name in used else found.family.computed(name)
        numbers = bool(stored.shape) and 0 not in stored.shape  # else a shape may say anything
        told = compute(found.config, stored.shape) if compute and numbers else None
        if told is None:
            continue
        held = found.shelf.tensor(name).cpu().float()
        if held.shape != told.shape or not torch.allclose(held, told.float(), 1e-2, 1e-2):
            raise GlassformerError("weights_spare", path=found.folder.name, name=name)


def load_weights(
    found: Found, widen: bool = True, limit: int | None = None, dtype: torch.dtype | None = None
) -> Transformer:
    """The model of a folder, with its weights.

    Args:
        found: what lies in the folder.
        widen: True gives float32, False the numbers that the folder stores.
        limit: bytes that the weights may take; None: a share of what is free (`free_bytes`).
        dtype: in which numbers, whatever `widen` says; None for what it says.

    Returns:
        The Transformer on the CPU; no gradient is kept for its weights.

    Raises:
        GlassformerError: `weights_large` where it takes more than `limit` bytes, before a number is
            read as far as its config and headers tell, `weights_numbers` for a weight that is no
            finite number, and as `as_held`.
    """
    most = free_bytes() if limit is None else limit
    dtype = dtype or (torch.float32 if widen else None)
    _check_size(found, dtype, most)
    found = as_held(found)
    _check_size(found, dtype, most)  # which may have more tables than its config says
    shapes = {n: tuple(each.shape) for n, each in shell_of(found.config).named_parameters()}
    users: dict[str, list[str]] = {}
    for ours, theirs in found.places.items():
        users.setdefault(theirs.name, []).append(ours)
    weights = {
        name: torch.zeros(shape, dtype=dtype or found.dtype)
        for name, shape in shapes.items()
        if name not in found.places
    }
    for name, tensor in found.shelf.read():
        if name in users and not bool(tensor.isfinite().all()):
            raise GlassformerError("weights_numbers", path=found.folder.name, name=name)
        for ours in users.get(name, ()):
            weights[ours] = as_ours(found.places[ours], tensor, shapes[ours], dtype)
    return fill_shell(found.config, weights)


def fill_shell(config: ModelConfig, weights: Mapping[str, torch.Tensor]) -> Transformer:
    """The model of a config, with these weights.

    Args:
        config: of the model.
        weights: its parameters by name, tied ones once; they become the model's own, uncopied.

    Returns:
        The Transformer; no gradient is kept for its weights.
    """
    model = shell_of(config)
    model.load_state_dict(weights, strict=False, assign=True)
    _tie(model, weights)
    return model.requires_grad_(False)


def _check_size(found: Found, dtype: torch.dtype | None, most: int) -> None:
    if (needs := found.parameters * BYTES[dtype or found.dtype]) > most:
        given, allowed = (f"{each / 2**20:,.0f} MB" for each in (needs, most))
        raise GlassformerError("weights_large", path=found.folder.name, given=given, limit=allowed)


def _tie(model: Transformer, weights: Mapping[str, torch.Tensor]) -> None:
    """What is assigned by one name is the same under its other names, too."""
    if "generator.weight" not in weights:
        side = "target" if model.config.decoder_layers else "source"
        table: nn.Parameter = getattr(model, f"{side}_embedding").table.weight
        model.generator.weight = table


def licence_of(folder: Path) -> str:
    """What the card (README.md) says of the licence, in its first lines.

    Args:
        folder: of the model.

    Returns:
        The licence as the card writes it, at most 80 characters; "" where it says none.
    """
    try:
        with regular_file(folder / "README.md").open(encoding="utf-8", errors="replace") as card:
            lines = card.read(4096).splitlines()
    except (OSError, ValueError):
        return ""
    named = (line.partition(":")[2] for line in lines if line.startswith("license:"))
    return next(named, "").strip().strip("\"'")[:80]
