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

import torch
from torch import Tensor

from glassformer.core import interruption
from glassformer.core.errors import GlassformerError


@dataclass(frozen=True)
class Edit:
    """A change made to one recorded tensor while the run goes on.

    `address` may hold wildcards (`encoder/*/self_attention/weights`); `change` gets the tensor
    (a copy it may write into) and returns one of the same shape, dtype and device.
    """

    address: str
    change: Callable[[Tensor], Tensor]
    name: str = ""

    def matches(self, address: str) -> bool:
        """Whether the edit changes what is recorded at an address.

        Args:
            address: of one tensor, without wildcards.

        Returns:
            True where the edit's own address, wildcards and all, fits it.
        """
        return fnmatchcase(address, self.address)

    def __str__(self) -> str:
        return self.name or f"edit of {self.address}"


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
        Up to three with commas between them; "-" where none is like it.
    """
    return ", ".join(difflib.get_close_matches(address, list(known), n=3, cutoff=0.3)) or "-"


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

    `keep(address)` says what is kept (all by default); edits apply whether kept or not.
    """

    def __init__(
        self,
        edits: Iterable[Edit] = (),
        keep: Callable[[str], bool] | None = None,
        dropout_seed: int | None = None,
    ) -> None:
        super().__init__(dropout_seed)
        self.tensors: dict[str, Tensor] = {}
        self.edits = tuple(edits)
        self._keep = keep
        self._seen: set[str] = set()
        self._used: set[int] = set()

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
            GlassformerError: `edit_changes_kind` where an edit gave another shape, dtype or device.
            Exception: what a listener (`core.interruption`) raises to end the run.
        """
        if address in self._seen:
            raise ValueError(f"{address} was recorded twice in one run: give each use its own name")
        self._seen.add(address)
        interruption.step()
        for index, edit in enumerate(self.edits):
            if edit.matches(address):
                value = _apply(edit, address, value)
                self._used.add(index)
        if self._keep is None or self._keep(address):
            self.tensors[address] = value
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


def _apply(edit: Edit, address: str, value: Tensor) -> Tensor:
    changed = edit.change(value.clone())
    was = (tuple(value.shape), value.dtype, value.device)
    now = (tuple(changed.shape), changed.dtype, changed.device)
    if was != now:
        raise GlassformerError(
            "edit_changes_kind", address=address, was=_kind(value), now=_kind(changed)
        )
    return changed


def _kind(value: Tensor) -> str:
    return f"{tuple(value.shape)} {value.dtype} {value.device}"
