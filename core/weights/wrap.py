"""A model of `transformers` that one has already: its weights where they lie, under our names.

    model = wrap(AutoModelForCausalLM.from_pretrained(…), AutoTokenizer.from_pretrained(…))

No number is copied. What is trained there is seen here; nothing here writes to it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from glassformer.core.errors import GlassformerError
from glassformer.core.model.shell import shell_of
from glassformer.core.untrusted import Stored
from glassformer.core.weights.account import view_as_ours
from glassformer.core.weights.aside import not_applied
from glassformer.core.weights.chat import ChatTemplate, chat_template_of
from glassformer.core.weights.model_folder import (
    DTYPES,
    Found,
    as_held,
    family_of,
    fill_shell,
    look_at_tensors,
)
from glassformer.core.weights.opened_model import OpenedModel
from glassformer.core.weights.read import Shelf, plain_name
from glassformer.core.weights.tokenizers.tokens import JsonTokens, Tokens, tokens_of


@dataclass(frozen=True)
class HeldShelf(Shelf):
    """Tensors that are in memory already, by their plain names."""

    held: Mapping[str, Tensor]

    def read(self) -> Iterator[tuple[str, Tensor]]:
        yield from self.held.items()

    def tensor(self, name: str) -> Tensor:
        """One of the tensors.

        Args:
            name: as `plain_name` has it.

        Returns:
            The tensor itself.

        Raises:
            KeyError: no tensor has the name.
        """
        return self.held[name]


def wrap(model: Any, tokenizer: Any, name: str = "") -> OpenedModel:
    """A model of `transformers` as one of ours: every tool, its weights by reference.

    Their parameters stay theirs: ours are views that need no gradient, so that training theirs
    changes what ours computes, while dropout and hooks of theirs take no part. Costs the memory of
    none of the weights; only what the config ties and the model holds twice is compared.

    Args:
        model: a `PreTrainedModel` of a family that `load_model` opens, all of it on one device and
            in numbers of one type; its own settings of generation count.
        tokenizer: its tokenizer, of `transformers` or of the `tokenizers` package.
        name: what the model is called; "" for the last part of its own path.

    Returns:
        The model, where theirs is and in the numbers of theirs.

    Raises:
        GlassformerError: `wrap_foreign` for another object; `weights_family`,
            `weights_unsupported` (several devices, several types of numbers, quantised),
            `weights_unknown` (an adapter that is not merged), `weights_tensors`,
            `weights_tokenizer`, `weights_pieces` as for a folder.
    """
    if not all(hasattr(model, each) for each in ("config", "state_dict")):
        raise GlassformerError("wrap_foreign", given=type(model).__name__)
    facts = dict(model.config.to_dict())
    name = name or Path(str(facts.get("_name_or_path") or model.config.name_or_path)).name
    name = name or str(facts.get("model_type"))
    family = family_of(facts, name)
    shelf = _shelf(model, family.prefixes, name)
    found = as_held(look_at_tensors(facts, family, shelf))
    transformer = fill_shell(found.config, _views(found))
    tokens, template = _tokens(tokenizer, name, found.kind)
    if tokens.last >= (rows := found.config.vocabulary_size):
        last = f"{tokens.last:,}"
        raise GlassformerError("weights_pieces", path=name, last=last, rows=f"{rows:,}")
    own = getattr(model, "generation_config", None)
    settings = {n: each for n, each in (own.to_dict() if own else {}).items() if each is not None}
    aside = replace(found.left_aside, settings=not_applied(settings))
    told = {**family.ids.get(found.kind, {}), **facts, **settings}
    return OpenedModel(transformer, tokens, found.task, name, told, aside, template)


def _shelf(model: Any, prefixes: tuple[str, ...], name: str) -> HeldShelf:
    held = {plain_name(n, prefixes): each.detach() for n, each in model.state_dict().items()}
    floats = [each for each in held.values() if each.is_floating_point()]
    for what, several in (("device", "several devices"), ("dtype", "several types of numbers")):
        kinds = sorted({str(getattr(each, what)) for each in floats})
        if len(kinds) > 1 or kinds == ["meta"]:
            needs = f"{several} for its weights ({', '.join(kinds)})"
            raise GlassformerError("weights_unsupported", path=name, what=needs)
    written = {torch_type: short for short, torch_type in DTYPES.items()}
    stored = {
        n: Stored(written.get(each.dtype, str(each.dtype)), tuple(each.shape))
        for n, each in held.items()
    }
    return HeldShelf(Path(name), stored, {n: ("", n) for n in held}, held)


def _views(found: Found) -> dict[str, Tensor]:
    """Our parameters by name, each where theirs lies; those that they lack are zero."""
    shapes = {n: tuple(each.shape) for n, each in shell_of(found.config).named_parameters()}
    place = next(iter(found.places.values())).name
    like = found.shelf.tensor(place)
    return {
        ours: view_as_ours(found.places[ours], found.shelf.tensor(found.places[ours].name), shape)
        if ours in found.places
        else torch.zeros(shape, dtype=like.dtype, device=like.device)
        for ours, shape in shapes.items()
    }


def _tokens(
    tokenizer: Any, name: str, kind: str
) -> tuple[Tokens, ChatTemplate | GlassformerError | None]:
    """The tokenizer, and the chat template that comes with it, as a folder would hold them."""
    if isinstance(tokenizer, Tokenizer):
        return JsonTokens(Tokenizer.from_str(tokenizer.to_str())), None
    if not hasattr(tokenizer, "save_pretrained"):
        raise GlassformerError("wrap_foreign", given=type(tokenizer).__name__)
    with TemporaryDirectory() as place:
        folder = Path(place) / name
        tokenizer.save_pretrained(folder)
        return tokens_of(folder, kind), chat_template_of(folder)
