"""The tape: how a run writes down its tensors, and how an edit reaches into it.

A tape belongs to one run. The model is shared by everybody and never knows whether anybody
listens: it hands every value to the tape and goes on with what the tape gives back.

    tape = Recorder()
    model(source_ids, target_ids, tape)
    tape.tensors["encoder/0/self_attention/weights"]
"""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

import torch
from torch import Tensor

from glassformer.core import interruption
from glassformer.core.errors import GlassformerError
from glassformer.core.trace.sites import site_at

# What a tape keeps: a function of an address, patterns with wildcards, or None for everything.
Keep = Callable[[str], bool] | str | Iterable[str] | None


@dataclass(frozen=True)
class Edit:
    """A change made to one recorded tensor while the run goes on.

    `address` may hold wildcards (`encoder/*/self_attention/weights`); `change` gets the tensor
    (a copy it may write into) and returns one of the same shape, dtype and device.

    each_position: whether the change treats each position of the target alone, and all alike. While
    a model writes, such a change is made to the new position only, and the keys and values of those
    before are kept; any other makes every step a pass over all of them.
    """

    address: str
    change: Callable[[Tensor], Tensor]
    name: str = ""
    each_position: bool = False

    @property
    def records(self) -> tuple[str, ...]:
        """What it records itself, below its address: nothing, but of a sparse autoencoder."""
        return ()

    def matches(self, address: str) -> bool:
        """Whether the edit changes what is recorded at an address.

        Args:
            address: of one tensor, without wildcards.

        Returns:
            True where the edit's own address, wildcards and all, fits it.
        """
        return _fits(address, self.address)

    def applied(self, value: Tensor, tape: "Tape") -> Tensor:  # noqa: ARG002, for who records
        """What the edit makes of a tensor.

        Args:
            value: as it was computed; it is not written to.
            tape: what an edit may record its own steps with, under addresses below its own.

        Returns:
            The tensor that takes its place.
        """
        return self.change(value.clone())

    def __str__(self) -> str:
        return self.name or f"edit of {self.address}"


@lru_cache(maxsize=4096)  # each step of decoding asks for the same addresses
def _fits(address: str, pattern: str) -> bool:
    return fnmatchcase(address, pattern)


class Tape:
    """The silent tape: gives back what it is given and keeps nothing.

    With a `dropout_seed` the run is in training mode: `tape.generator(device)` is where the
    dropout masks come from, so the same seed drops the same units.
    """

    def __init__(self, dropout_seed: int | None = None) -> None:
        self._dropout_seed = dropout_seed
        self._generators: dict[torch.device, torch.Generator] = {}

    def __call__(self, name: str, value: Tensor) -> Tensor:  # noqa: ARG002, nobody listens
        return value

    def __truediv__(self, step: str | int) -> "Tape":
        return self

    def wants(self, name: str) -> bool:  # noqa: ARG002, nobody listens
        """Whether a value is kept or changed: what only a listener wants need not be computed.

        Args:
            name: under which the model would record it.

        Returns:
            False of the silent tape; True where the value is kept or an edit matches it.
        """
        return False

    @property
    def drops(self) -> bool:
        """Whether this run is in training mode, so that dropout takes place."""
        return self._dropout_seed is not None

    def generator(self, device: torch.device) -> torch.Generator:
        """The seeded source of this run's dropout masks on that device.

        Args:
            device: where the masks are drawn.

        Returns:
            The same source at each call for a device, so one run draws from it on and on.
        """
        if device not in self._generators:
            seeded = torch.Generator(device).manual_seed(self._dropout_seed or 0)
            self._generators[device] = seeded
        return self._generators[device]


SILENT = Tape()


def nearest_addresses(address: str, known: Iterable[str]) -> str:
    """For an error: the three that are written most like an address.

    Args:
        address: that was not found.
        known: the addresses that there are.

    Returns:
        Up to three with commas between them, however far they are; "-" where there are none.
    """
    return ", ".join(difflib.get_close_matches(address, list(known), n=3, cutoff=0.0)) or "-"


def any_pattern(patterns: str | Iterable[str]) -> Callable[[str], bool]:
    """Whether an address fits one of several patterns.

    Args:
        patterns: addresses in which `*` stands for anything; one, or several.

    Returns:
        A function of an address.
    """
    wanted = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    return lambda address: any(fnmatchcase(address, each) for each in wanted)


class RootTape(Tape):
    """A tape that hears every value by its whole address: `record` gives back what goes on."""

    def record(self, address: str, value: Tensor) -> Tensor:
        """Hears a value that the model hands over.

        Args:
            address: the whole address of the value.
            value: the tensor as it was computed.

        Returns:
            The tensor that the model goes on with.

        Raises:
            NotImplementedError: of this base class; each tape says what it does.
        """
        raise NotImplementedError

    def __call__(self, name: str, value: Tensor) -> Tensor:
        return self.record(name, value)

    def __truediv__(self, step: str | int) -> Tape:
        return _Branch(self, f"{step}/")


class Recorder(RootTape):
    """Keeps every tensor under its path and applies the edits whose address matches.

    `keep` says what is kept (all by default): a function of the address, or patterns as edits have
    them, one or several; edits apply whether kept or not. With `grad` the run can be differentiated
    by everything that is kept, see `core.trace.gradients`; no weight is asked for a gradient.
    """

    def __init__(
        self,
        edits: Iterable[Edit] = (),
        keep: Keep = None,
        dropout_seed: int | None = None,
        grad: bool = False,
    ) -> None:
        super().__init__(dropout_seed)
        self.tensors: dict[str, Tensor] = {}
        self.edits = tuple(edits)
        self.grad = grad
        self._keep = keep if keep is None or callable(keep) else any_pattern(keep)
        self._seen: set[str] = set()
        self._used: set[int] = set()
        self._nodes: set[int] = set()
        self._texts = 0  # how many the ids were of

    def wants(self, name: str) -> bool:
        kept = self._keep is None or self._keep(name)
        return kept or any(edit.matches(name) for edit in self.edits)

    def record(self, address: str, value: Tensor) -> Tensor:
        """Keeps `value` under `address`, edited.

        Args:
            address: the whole address of the value.
            value: the tensor as it was computed; it is not written to.

        Returns:
            The tensor that the model goes on with: `value`, or what the edits made of it, one after
            the other.

        Raises:
            ValueError: the address was already recorded.
            GlassformerError: `edit_changes_kind` where an edit gave another shape, dtype or device,
                `edit_no_tensor` where it gave none.
            Exception: what a listener (`core.interruption`) raises to end the run.
        """
        if address in self._seen:
            raise ValueError(f"{address} was recorded twice in one run: give each use its own name")
        self._seen.add(address)
        interruption.step()
        if address.endswith("/ids"):
            self._texts = len(value)
        given = value
        for index, edit in enumerate(self.edits):
            if edit.matches(address):
                value = _apply(edit, address, value, _Branch(self, f"{address}/"))
                self._used.add(index)
        if self._keep is None or self._keep(address):
            value = self._node_of(address, value, value is not given) if self.grad else value
            self.tensors[address] = value
        return value

    def _node_of(self, address: str, value: Tensor, edited: bool) -> Tensor:
        """The value as a node of the graph that no other address has.

        What a run records twice (the stream and what a sub-layer reads, the memory of each layer)
        is one tensor, whose gradient would be the sum of both: a view of it is another node. Where
        nothing else has the tensor it is left as it is, for views cost a tenth of the run. Weights
        are frozen, so what comes of them alone is where the graph begins; ids and masks have none.
        What all texts of a batch share (positions) is laid out for each, to have its own gradient.
        """
        if not value.is_floating_point():
            return value
        if self._texts and _is_shared(address, value):
            value = value.expand(self._texts, *value.shape)
        if not value.requires_grad:
            value = value.detach().requires_grad_()
        elif edited or id(value) in self._nodes or _is_view(address):
            value = value.view_as(value)
        self._nodes.add(id(value))  # kept, so no other tensor can have its id
        return value

    def finish(self) -> None:
        """To be called after the run: whether every edit had its effect.

        Raises:
            GlassformerError: `edit_unmatched` for an edit that matched nothing, with the nearest
                addresses.
        """
        for index, edit in enumerate(self.edits):
            if index not in self._used:
                near = nearest_addresses(edit.address, sorted(self._seen))
                raise GlassformerError("edit_unmatched", address=edit.address, nearest=near)


class _Branch(Tape):
    """The tape seen from further down: the same run, a longer path."""

    def __init__(self, root: RootTape, prefix: str) -> None:
        self._root, self._prefix = root, prefix

    def __call__(self, name: str, value: Tensor) -> Tensor:
        return self._root.record(self._prefix + name, value)

    def __truediv__(self, step: str | int) -> Tape:
        return _Branch(self._root, f"{self._prefix}{step}/")

    def wants(self, name: str) -> bool:
        return self._root.wants(self._prefix + name)

    @property
    def drops(self) -> bool:
        return self._root.drops

    def generator(self, device: torch.device) -> torch.Generator:
        return self._root.generator(device)


def _apply(edit: Edit, address: str, value: Tensor, tape: Tape) -> Tensor:
    changed = edit.applied(value, tape)
    if not isinstance(changed, Tensor):
        given = "nothing" if changed is None else f"a {type(changed).__name__}"
        raise GlassformerError("edit_no_tensor", address=address, given=given)
    was = (tuple(value.shape), value.dtype, value.device)
    now = (tuple(changed.shape), changed.dtype, changed.device)
    if was != now:
        raise GlassformerError(
            "edit_changes_kind", address=address, was=_kind(value), now=_kind(changed)
        )
    return changed


def _is_view(address: str) -> bool:
    """Whether the table of sites says so, or does not know the address."""
    try:
        return site_at(address).is_view
    except KeyError:
        return True


def _is_shared(address: str, value: Tensor) -> bool:
    """Whether the site has no axis for texts, and this tensor of it neither."""
    try:
        axes = site_at(address).axes
    except KeyError:
        return False
    return axes[0] != "batch" and value.dim() == len(axes)


def _kind(value: Tensor) -> str:
    return f"{tuple(value.shape)} {value.dtype} {value.device}"
