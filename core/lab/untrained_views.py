"""What is read off an untrained model: its modules, its parameters, the values of one run."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.lab.untrained import torch_bound, xavier_bound
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.graph import Stack, layer_count, sublayers
from glassformer.core.trace.tape import Recorder

NOTES_IDS = ((100, 2, 421, 508), (491, 998, 1, 221))  # two sentences of a vocabulary of …
NOTES_WORDS = 1_000
BINS = 49
# What a linear map's output is called on the tape, and that of modules with no such place.
OUTPUTS = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "output", "w_1": "pre_activation",
           "w_2": "output"}  # fmt: skip
WHOLES = {"source_embedding": "source/input", "target_embedding": "target/input",
          "encoder": "memory", "generator": "output/logits"}  # fmt: skip


@dataclass(frozen=True)
class Reach:
    """The values of one place: of the stream there, and of what the sub-layer itself gives."""

    stack: Stack
    layer: int | None  # None before the first layer and after the last one
    name: str
    shape: tuple[int, ...]
    ends: tuple[float, float]  # least and largest
    std: float
    branch: tuple[float, float] | None = None


@dataclass(frozen=True)
class ModuleNode:
    """A module of the model, and what lies in it."""

    name: str
    kind: str  # its class
    weights: tuple[tuple[str, tuple[int, ...]], ...]  # its own parameters
    count: int  # of all parameters in it, each once
    output: tuple[int, ...] | None
    shares: str  # the module that it is one with, or whose weight it uses; "" for none
    inside: tuple["ModuleNode", ...] = ()


@dataclass(frozen=True)
class Anatomy:
    """What an untrained model is made of, and how far its values reach in one run."""

    reaches: tuple[Reach, ...]
    tree: ModuleNode
    counted: Mapping[str, int]  # parameters by the key of their part


Ids = tuple[tuple[int, ...], ...]


def anatomy(model: Transformer, source: Ids, target: Ids) -> Anatomy:
    """One teacher-forced run over some ids, and the modules.

    Args:
        model: not written to.
        source: (B, S) ids.
        target: (B, T) ids, from the begin token on.

    Returns:
        How far the values reach at each place, the tree of modules, and the parameters of each
        part.
    """
    device = model.generator.weight.device
    tape = Recorder()
    with torch.no_grad():
        model(torch.tensor(source, device=device), torch.tensor(target, device=device), tape)
    tensors = tape.tensors
    seen: dict[int, str] = {}
    tree = _module(model, "", "Transformer", {n: tuple(t.shape) for n, t in tensors.items()}, seen)
    return Anatomy(tuple(_reaches(model.config, tensors)), tree, count_parameters(model))


def count_parameters(model: Transformer) -> Counter[str]:
    """Every parameter once, by the part that it belongs to.

    Args:
        model: any.

    Returns:
        How many numbers each part has, by the keys of `core.lab.untrained.closed_forms`.
    """
    found = Counter[str]()
    for name, parameter in model.named_parameters():
        found[_part(name)] += parameter.numel()
    return found


def _part(name: str) -> str:
    stack, *rest = name.split(".")
    if stack not in ("encoder", "decoder"):
        return stack
    inside = "norms" if "norm" in rest[-2] else rest[2]
    return f"{stack}_{inside}"


def _reaches(config: ModelConfig, tensors: Mapping[str, Tensor]) -> list[Reach]:
    after = "norm/output" if config.norm_place == "post" else "residual/summed"
    scaled = ("scaled",) if config.embedding_scale else ()
    positions = ("positions",) if config.adds_positions else ()
    entering = ("embedding", *scaled, *positions, "input")
    found = []
    sides: tuple[tuple[Stack, str], ...] = (("encoder", "source"), ("decoder", "target"))
    for stack, side in sides:
        found += [_reach(stack, None, name, tensors[f"{side}/{name}"]) for name in entering]
        for layer in range(layer_count(config, stack)):
            for name in sublayers(config, stack):
                where = f"{stack}/{layer}/{name}"
                branch = _ends(tensors[f"{where}/output"])
                found.append(_reach(stack, layer, name, tensors[f"{where}_{after}"], branch))
        if config.final_norm:
            found.append(_reach(stack, None, "final_norm", tensors[f"{stack}/norm/output"]))
    return [*found, _reach("decoder", None, "logits", tensors["output/logits"])]


def _reach(
    stack: Stack, layer: int | None, name: str, values: Tensor,
    branch: tuple[float, float] | None = None,
) -> Reach:  # fmt: skip
    deviation = float(values.std(correction=0))
    return Reach(stack, layer, name, tuple(values.shape), _ends(values), deviation, branch)


def _ends(values: Tensor) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _module(
    module: nn.Module, path: str, name: str, shapes: Mapping[str, tuple[int, ...]],
    seen: dict[int, str],
) -> ModuleNode:  # fmt: skip
    """A module with those in it; one that stands at two places is opened at the first."""
    first = seen.setdefault(id(module), path)
    own = list(module.named_parameters(recurse=False))
    twice = [seen[id(p)] for _, p in own if seen.setdefault(id(p), path) != path]
    inside = [] if first != path else [
        _module(each, f"{path}.{part}".lstrip("."), part, shapes, seen)
        for part, each in module.named_modules(remove_duplicate=False)
        if part and "." not in part
    ]  # fmt: skip
    return ModuleNode(
        name=name,
        kind=type(module).__name__,
        weights=tuple((part, tuple(each.shape)) for part, each in own),
        count=sum(parameter.numel() for parameter in module.parameters()),
        output=_output(path, shapes),
        shares=first if first != path else next(iter(twice), ""),
        inside=tuple(inside),
    )


def _output(path: str, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...] | None:
    at = path.replace("layers.", "").replace(".", "/").replace("_residual/norm", "_norm")
    above, _, last = at.rpartition("/")
    places = (f"{at}/output", f"{above}/{OUTPUTS.get(last)}", WHOLES.get(path, ""))
    return next((shapes[place] for place in places if place in shapes), None)


@dataclass(frozen=True)
class Drawn:
    """How the numbers of one matrix lie, beside the bounds of two ways to draw them."""

    shape: tuple[int, int]
    xavier: float
    torch: float
    ends: tuple[float, float]
    std: float
    outside: int  # how many lie beyond Xavier's bound
    counts: tuple[int, ...]  # in bins of one width from −reach to reach
    reach: float


def drawn_weights(weight: Tensor) -> Drawn:
    """A matrix as it was drawn, beside the bounds of two ways to draw it.

    Args:
        weight: (fan_out, fan_in).

    Returns:
        Its ends, deviation and a histogram.
    """
    bound, ends = xavier_bound(weight), _ends(weight)
    reach = 1.05 * max(bound, *map(abs, ends))
    counts = torch.histc(weight.detach().float().cpu(), BINS, -reach, reach)
    beyond = int((weight.abs() > bound * (1 + 1e-6)).sum())  # float32 rounds the bound itself
    rows, columns = weight.shape
    return Drawn(
        (rows, columns), bound, torch_bound(weight), ends, float(weight.std(correction=0)), beyond,
        tuple(map(int, counts.tolist())), reach,
    )  # fmt: skip
