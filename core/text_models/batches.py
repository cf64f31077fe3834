"""Texts run as they are given, one or many: padded to one length, in batches, nothing written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import free_bytes
from glassformer.core.model.masks import Padding
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.text_models.run_memory import WITHOUT_DECODER, bytes_of_graph, bytes_of_run
from glassformer.core.trace.address import Address
from glassformer.core.trace.batch import Batch, Graph, ModelInputs, PaddingSide
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.hook_names import addresses_of_hook, edits_at_addresses
from glassformer.core.trace.on_demand import kept_without, recomputable
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.tape import Edit, Recorder, nearest_addresses

Keep = str | Iterable[str] | None
BatchSize = int | Literal["auto"] | None
NOTICED = 2**26  # bytes; what takes less is not asked about


@dataclass(frozen=True)
class _Part:
    """What one pass over some of the texts gave; `places` are theirs in the whole list."""

    places: tuple[int, ...]
    inputs: tuple[ModelInputs, ...]
    tensors: dict[str, Tensor]
    masks: tuple[Tensor, Tensor]
    output_ids: tuple[tuple[int, ...], ...]


def run_batch(
    model: Model,
    texts: Sequence[GivenText | ModelInputs],
    *,
    targets: Sequence[GivenText | None] | None = None,
    keep: Keep = None,
    edits: Sequence[Edit] = (),
    batch_size: BatchSize = None,
    padding: PaddingSide = "right",
    grad: bool = False,
) -> Batch:
    """Runs a model on exactly these texts and keeps what is asked for.

    Texts of different lengths are padded; the results of each are those of the text alone but for
    the order of float32 sums. Right padding under a causal mask needs no word for it, so models
    without one run as well.

    Args:
        model: it is only run.
        texts: at least one; texts, ids as the model reads them, or what `inputs_of` made of either.
        targets: what is forced on the decoder, one a text (of a model that continues: what
            follows the text). None, for all or for one: the prompt alone of a decoder alone; of
            an encoder–decoder what greedy decoding writes without edits, so that runs that differ
            in edits alone have the same rows. Where only the encoder is asked for, nothing.
        keep: addresses of tensors, or patterns of them with wildcards such as
            `encoder/*/self_attention/weights`; None keeps all.
        edits: changes made to recorded tensors on the way; each sees a whole batch, padding
            included, in the order of the texts.
        batch_size: most texts of one pass; None runs all in one; "auto" as many as memory has
            room for, half as many again and again. Without edits texts of like length run together.
        padding: the end at which short texts are padded; positions count from each text's own
            first word.
        grad: True keeps the graph, so that `batch.gradients(metric)` gives the gradients at every
            address that was kept. The graph of all texts stays beside what is kept, however few
            run at once, and grows with what comes after the first address that is kept; gradients
            take as much as what is kept once more, when they are looked at.

    Returns:
        The batch, in the order of the texts.

    Raises:
        GlassformerError: `run_nothing` for no text, `run_targets` for more or fewer targets than
            texts, `unknown_address` for a pattern that no address fits, `run_memory` and
            `run_graph_memory` before more memory is spent than is free, what the tokenizer
            refuses, and as `Edit`.
    """
    edits = edits_at_addresses(edits, model.config)
    kept = kept_addresses(model.config, None if keep is None else _patterns(keep), _below(edits))
    kept = _with_edited(model, kept, edits)
    reads_only = _reads_only(model.config, kept, edits)
    inputs = _inputs_of(model, texts, targets, decodes=not reads_only)

    def run_part(places: tuple[int, ...]) -> _Part:
        own = [inputs[at] for at in places]
        return _run_part(model, places, own, kept, edits, padding, reads_only, grad)

    reading = _Reading(kept, grad, decodes=not reads_only)
    size = _size(model, inputs, reading, batch_size)
    waiting = _places(inputs, size, in_order=bool(edits))
    parts = _run_parts(run_part, waiting, halves=batch_size == "auto")
    graph = _graph_of(parts, padding) if grad else None
    whole = parts[0] if len(parts) == 1 else _joined(parts, padding)
    return Batch(
        config=model.config,
        tensors=whole.tensors,
        inputs=whole.inputs,
        output_ids=whole.output_ids,
        source_mask=whole.masks[0],
        target_mask=whole.masks[1],
        vocabulary=model.vocabulary,
        look_up=model.word,
        model_name=model.name,
        edits=tuple(map(str, edits)),
        padding=padding,
        transformer=model.transformer,
        graph=graph,
    )


def _inputs_of(
    model: Model, texts: Sequence[GivenText | ModelInputs],
    targets: Sequence[GivenText | None] | None, decodes: bool,
) -> list[ModelInputs]:  # fmt: skip
    """The ids of each text with its target."""
    if not texts:
        raise GlassformerError("run_nothing")
    goals = [None] * len(texts) if targets is None else list(targets)
    if len(goals) != len(texts):
        raise GlassformerError("run_targets", texts=len(texts), targets=len(goals))
    return [
        text if isinstance(text, ModelInputs) else model.inputs_of(text, goal, decodes)
        for text, goal in zip(texts, goals, strict=True)
    ]


def _graph_of(parts: Sequence[_Part], padding: PaddingSide) -> Graph:
    """What the batch is differentiated by: gradients of parts are joined as their tensors are."""
    if len(parts) == 1:
        return Graph((parts[0].tensors,))

    def join(found: Sequence[Mapping[str, Tensor]]) -> Mapping[str, Tensor]:
        own = [replace(part, tensors=dict(each)) for part, each in zip(parts, found, strict=True)]
        return _joined(own, padding).tensors

    return Graph(tuple(dict(part.tensors) for part in parts), join)


def _patterns(keep: str | Iterable[str]) -> tuple[str, ...]:
    return (keep,) if isinstance(keep, str) else tuple(keep)


def _below(edits: Sequence[Edit]) -> tuple[str, ...]:
    """What edits record themselves, below their addresses."""
    return tuple(f"{edit.address}/{name}" for edit in edits for name in edit.records)


@lru_cache(maxsize=64)
def kept_addresses(
    config: ModelConfig, patterns: tuple[str, ...] | None, below: tuple[str, ...] = ()
) -> frozenset[str]:
    """The addresses that patterns name.

    Args:
        config: of the model.
        patterns: with wildcards, hooks' names among them; None for all addresses.
        below: what edits record beside.

    Returns:
        Those of a run without dropout.

    Raises:
        GlassformerError: `unknown_address` for a pattern that fits none, naming the nearest.
    """
    known = (*addresses(config), *below)
    if patterns is None:
        return frozenset(known)
    found = set[str]()
    for pattern in (each for name in patterns for each in addresses_of_hook(name, config)):
        fitting = [each for each in known if fnmatchcase(each, pattern)]
        if not fitting:
            near = nearest_addresses(pattern, known)
            raise GlassformerError("unknown_address", address=pattern, nearest=near)
        found.update(fitting)
    return frozenset(found)


def _with_edited(model: Model, kept: frozenset[str], edits: Sequence[Edit]) -> frozenset[str]:
    """Beside what is kept, what a run would compute again from it and an edit has changed."""
    if not edits:
        return kept
    reached = kept_without(edits)
    again = recomputable(model.config, kept, model.transformer.generator)
    return kept | {each for each in again if reached(each)}


def _reads_only(config: ModelConfig, kept: frozenset[str], edits: Sequence[Edit]) -> bool:
    """Whether the encoder of an encoder–decoder is all that has to run."""
    if not config.has_both:
        return False
    wanted = {each for each in addresses(config) if any(edit.matches(each) for edit in edits)}
    return all(Address.of(each).stack in WITHOUT_DECODER for each in wanted | kept)


def _places(inputs: Sequence[ModelInputs], size: int, in_order: bool) -> list[tuple[int, ...]]:
    """Which texts run together."""
    every = list(range(len(inputs)))
    if size < len(every) and not in_order:  # texts of like length, so that little is padded
        every.sort(key=lambda at: (len(inputs[at].target), len(inputs[at].source)))
    return [tuple(every[at : at + size]) for at in range(0, len(every), size)]


@dataclass(frozen=True)
class _Reading:
    """What is kept of a run, and whether with its graph."""

    kept: frozenset[str]
    grad: bool
    decodes: bool


def _size(
    model: Model, inputs: Sequence[ModelInputs], reading: _Reading, batch_size: BatchSize
) -> int:
    """How many texts run at once, where memory has room for them."""
    texts = len(inputs)
    asked = texts if batch_size in (None, "auto") else batch_size
    if not isinstance(asked, int) or asked < 1:
        raise GlassformerError("run_batch_size", given=batch_size)
    lengths = max(len(each.source) for each in inputs), max(len(each.target) for each in inputs)
    width = model.transformer.generator.weight.element_size()
    size, kept = min(asked, texts), reading.kept

    def graph() -> int:
        if not reading.grad:
            return 0
        return bytes_of_graph(model.config, kept, lengths, texts, size, width, reading.decodes)

    def needed() -> int:
        joined = 2 if reading.grad and size < texts else 1
        return graph() + bytes_of_run(model.config, kept, lengths, texts, size, width, joined)

    if needed() < NOTICED:
        return size
    free = free_bytes(model.device)
    while batch_size == "auto" and size > 1 and needed() > free:
        size = (size + 1) // 2
    if needed() > free:
        raise _too_much(texts, needed(), free, graph())
    return size


def _too_much(texts: int, needed: int, free: int, graph: int) -> GlassformerError:
    megabytes = {"needed": f"{needed / 2**20:,.0f}", "free": f"{free / 2**20:,.0f}"}
    if graph:
        megabytes["graph"] = f"{graph / 2**20:,.0f}"
        return GlassformerError("run_graph_memory", texts=texts, **megabytes)
    return GlassformerError("run_memory", texts=texts, **megabytes)


def _run_parts(
    run_part: Callable[[tuple[int, ...]], _Part], places: list[tuple[int, ...]], halves: bool
) -> list[_Part]:
    """All passes; one that the device has no memory for is made in halves, where that is asked."""
    waiting, parts = list(places), list[_Part]()
    while waiting:
        texts = waiting.pop(0)
        try:
            parts.append(run_part(texts))
        except torch.OutOfMemoryError as error:
            if not halves or len(texts) == 1:
                raise GlassformerError("run_device_memory", texts=len(texts)) from error
            half = (len(texts) + 1) // 2
            waiting[:0] = [texts[:half], texts[half:]]
    return parts


def _run_part(
    model: Model, places: tuple[int, ...], inputs: Sequence[ModelInputs], kept: frozenset[str],
    edits: Sequence[Edit], padding: PaddingSide, reads_only: bool,
    grad: bool,
) -> _Part:  # fmt: skip
    source, source_mask = _padded([each.source for each in inputs], model, padding)
    target, target_mask = _padded([each.target for each in inputs], model, padding)
    masks = Padding.of(source_mask, target_mask)
    segments = None
    if any(each.segments for each in inputs):
        own = [each.segments or (0,) * len(each.source) for each in inputs]
        segments, _ = _padded(own, model, padding, filler=0)
    tape = Recorder(edits, kept.__contains__, grad=grad)
    with torch.set_grad_enabled(grad):
        if reads_only:
            model.transformer.encode(source, tape, segments, masks)
            outputs = tuple(_given_words(each) for each in inputs)
        else:
            logits = model.transformer(source, target, tape, segments, masks)  # (b, T, V)
            outputs = _outputs(inputs, logits, padding)
    tape.finish()
    return _Part(places, tuple(inputs), tape.tensors, (source_mask, target_mask), outputs)


def _padded(
    rows: Sequence[Sequence[int]], model: Model, side: PaddingSide, filler: int | None = None
) -> tuple[Tensor, Tensor]:
    """Ids (b, S) filled up to one length, and where they are words: bool (b, S)."""
    if filler is None:
        filler = max(0, model.config.pad_id)  # any word will do: it is masked, or comes too late
    longest = max(map(len, rows))
    ids, mask = list[list[int]](), list[list[bool]]()
    for row in rows:
        lacking = longest - len(row)
        fill, no = [filler] * lacking, [False] * lacking
        yes = [True] * len(row)
        ids.append([*fill, *row] if side == "left" else [*row, *fill])
        mask.append([*no, *yes] if side == "left" else [*yes, *no])
    where = model.device
    return (
        torch.tensor(ids, dtype=torch.long, device=where).view(len(rows), longest),
        torch.tensor(mask, dtype=torch.bool, device=where).view(len(rows), longest),
    )


def _given_words(inputs: ModelInputs) -> tuple[int, ...]:
    return tuple(word for word in inputs.output if word is not None)


def _outputs(
    inputs: Sequence[ModelInputs], logits: Tensor, padding: PaddingSide
) -> tuple[tuple[int, ...], ...]:
    """What each row was to write, or the most probable word where nothing was given."""
    rows, columns = list[int](), list[int]()
    for row, each in enumerate(inputs):
        start = logits.size(1) - len(each.output) if padding == "left" else 0
        free = [at for at, word in enumerate(each.output) if word is None]
        rows += [row] * len(free)
        columns += [start + at for at in free]
    if not rows:
        return tuple(_given_words(each) for each in inputs)
    scores = logits.detach()[rows, columns]  # (n, V)
    if forbidden := inputs[0].forbidden:
        never = torch.tensor(sorted(forbidden), device=scores.device)
        scores = scores.index_fill(-1, never, -torch.inf)
    chosen = iter(scores.argmax(dim=-1).tolist())
    return tuple(
        tuple(next(chosen) if word is None else word for word in each.output) for each in inputs
    )


def _joined(parts: Sequence[_Part], padding: PaddingSide) -> _Part:
    """The parts as one, each text at its place, all padded to the longest.

    The parts lose their tensors on the way, so that none is there twice for long.
    """
    places = [at for part in parts for at in part.places]
    order = sorted(range(len(places)), key=places.__getitem__)
    inputs = [each for part in parts for each in part.inputs]
    outputs = [each for part in parts for each in part.output_ids]
    tensors = {
        address: _joined_tensor(address, parts, padding) for address in list(parts[0].tensors)
    }
    source, target = (
        _spread([part.masks[side] for part in parts], parts, f"B{letter}", padding)
        for side, letter in enumerate("ST")
    )
    return _Part(
        tuple(range(len(places))), tuple(inputs[at] for at in order), tensors, (source, target),
        tuple(outputs[at] for at in order),
    )  # fmt: skip


def _joined_tensor(address: str, parts: Sequence[_Part], padding: PaddingSide) -> Tensor:
    own = [part.tensors.pop(address) for part in parts]
    letters = shape_letters(address)
    if letters[0] == "B":
        return _spread(own, parts, "".join(letters), padding)
    if padding == "right" and all(each.dim() == len(letters) for each in own):
        return max(own, key=len)  # positions: the longest have all of them
    each_text = [
        tensor if tensor.dim() > len(letters) else tensor.expand(len(part.places), *tensor.shape)
        for tensor, part in zip(own, parts, strict=True)
    ]
    return _spread(each_text, parts, "B" + "".join(letters), padding)


def _spread(
    own: Sequence[Tensor], parts: Sequence[_Part], letters: str, padding: PaddingSide
) -> Tensor:
    """Tensors (b, …) of the parts in one (B, …), padded with zeros (False) along S and T."""
    sizes = [max(each.size(axis) for each in own) for axis in range(own[0].dim())]
    sizes[0] = sum(map(len, own))
    whole = own[0].new_zeros(sizes)
    for tensor, part in zip(own, parts, strict=True):
        place: list[Tensor | slice] = [torch.tensor(part.places, device=tensor.device)]
        for letter, size, all_of_it in zip(letters[1:], tensor.shape[1:], sizes[1:], strict=True):
            left = padding == "left" and letter in "ST"
            place.append(slice(all_of_it - size, None) if left else slice(size))
        whole[tuple(place)] = tensor
    return whole
