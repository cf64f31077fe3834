"""Path patching: what some parts send to others directly, and what becomes of the metric.

After Wang et al. 2022 (arXiv 2211.00593) and Goldowsky-Dill et al. 2023 (arXiv 2304.05969).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.copies import COPIES, Copied
from glassformer.core.tools.patched_places import Place, find_places
from glassformer.core.tools.patching import check_lengths, targets_in_common
from glassformer.core.tools.sites import Metric, addresses_read, in_list, measure_metric, name_of
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses
from glassformer.core.trace.results import Result
from glassformer.core.trace.tape import Edit

if TYPE_CHECKING:
    import pandas as pd

READS = ("branch_input", "memory")  # what a sub-layer reads


@dataclass(frozen=True, repr=False)
class PathPatching(Result):
    """The metric of each pair: clean, corrupt, and clean with the receivers patched, (N,) each."""

    measure: str
    senders: tuple[str, ...]
    receivers: tuple[str, ...]
    clean: tuple[float, ...]
    corrupt: tuple[float, ...]
    patched: tuple[float, ...]

    @property
    def effect(self) -> float:
        """Patched − clean, the mean of the pairs, in the metric's unit."""
        return sum(p - c for p, c in zip(self.patched, self.clean, strict=True)) / len(self.clean)

    def headline(self) -> str:
        path = f"{_names(self.senders)} → {_names(self.receivers)}"
        return f"path patching {path}: {self.measure} moves by {self.effect:.4g}"

    def table(self) -> pd.DataFrame:
        """A row a pair: the metric clean, corrupt and patched, and patched − clean."""
        import pandas as pd  # slow to import

        columns = {"clean": self.clean, "corrupt": self.corrupt, "patched": self.patched}
        table = pd.DataFrame({"pair": range(len(self.clean)), **columns})
        return table.assign(effect=table.patched - table.clean)


def path_patch(
    model: Model,
    clean: GivenText | Sequence[GivenText],
    corrupt: GivenText | Sequence[GivenText],
    metric: Metric,
    *,
    senders: str | Sequence[str],
    receivers: str | Sequence[str],
    target: GivenText | Sequence[GivenText] | None = None,
    edits: Sequence[Edit] = (),
    batch_size: int = COPIES,
) -> PathPatching:
    """Measures what senders do to the metric through what receivers read of them directly.

    The clean text is run with the senders as they are in the corrupt run and every sub-layer
    reading what it read in the clean run, but for the one of a receiver: so only the residual
    stream and its norms carry the senders' change there. What the receivers become is then put into
    a clean run, where all that comes after them follows. An effect below 0: the path lowers the
    metric when it carries the corrupt text. (Wang et al. let feed-forward networks follow on the
    way; here they are held, as heads are.)

    It says what this path does between these two texts, other paths being clean; effects of several
    paths do not add up.

    Cost: four runs, and one more for each sub-layer beyond the first in which receivers are.

    Args:
        model: it is only run.
        clean: the text whose run is changed, or N of them.
        corrupt: the text that the senders come from, or N, each as long as its clean one.
        metric: a function of a `Batch` that gives a number a text.
        senders: addresses or patterns, such as `encoder/1/*`; one head of a tensor as
            `decoder/0/self_attention/context#3`.
        receivers: likewise, such as `decoder/*/cross_attention/k` or `output/logits`.
        target: what is forced on the decoder, as in `patch`.
        edits: what holds in all runs.
        batch_size: most texts in one batch.

    Returns:
        The metric of each pair and how far it moved.

    Raises:
        GlassformerError: `patching_lengths`, `metric_shape`, and as `find_places` and `run_batch`.
    """
    clean_texts, corrupt_texts = in_list(clean), in_list(corrupt)
    targets = targets_in_common(model, clean_texts, corrupt_texts, target)
    own, other = (Copied(model, each, targets, edits) for each in (clean_texts, corrupt_texts))
    sending, receiving = (find_places(each, model.config) for each in (senders, receivers))
    base = own.run(1, None)
    reads = addresses_read(metric, base)
    sent = tuple(dict.fromkeys(each.address for each in sending))
    donor = other.run(1, (*sent, *reads))
    check_lengths(base, donor, sent)
    given = {address: donor[address] for address in sent}
    arrived = values_received(own, base.tensors, given, sending, receiving, batch_size)
    last = [
        Edit(place.address, partial(place.put, given=arrived[place.address])) for place in receiving
    ]
    found = [measure_metric(metric, each) for each in (base, donor, own.run(1, reads, last))]
    sent_from, sent_to = (tuple(map(str, places)) for places in (sending, receiving))
    before, other_end, after = (tuple(each.tolist()) for each in found)
    return PathPatching(name_of(metric), sent_from, sent_to, before, other_end, after)


def values_received(
    texts: Copied, base: Mapping[str, Tensor], given: Mapping[str, Tensor],
    senders: Sequence[Place], receivers: Sequence[Place], batch_size: int = COPIES,
) -> dict[str, Tensor]:  # fmt: skip
    """What receivers become when senders are changed and nothing between them follows.

    Args:
        texts: N of them.
        base: everything that their plain run recorded, by address.
        given: what the senders are to be, by address.
        senders: where it is put.
        receivers: what is looked at.
        batch_size: most texts in one batch.

    Returns:
        The tensors (N, …) of the receivers, by address.
    """
    size, found = len(texts.texts), dict[str, Tensor]()
    at_places = dict[str, list[str]]()  # by the sub-layer that is free to follow
    for place in receivers:
        at_places.setdefault(_sublayer_of(place.address, texts.model.config), []).append(
            place.address
        )
    every, group = list(at_places), max(1, batch_size // size)
    for start in range(0, len(every), group):
        some = every[start : start + group]
        edits = [*_held(texts, base, some), *_changed(given, senders, len(some))]
        wanted = [each for sublayer in some for each in at_places[sublayer]]
        batch = texts.run(len(some), wanted, edits)
        for copy, sublayer in enumerate(some):
            rows = slice(copy * size, (copy + 1) * size)
            found |= {each: batch[each][rows] for each in at_places[sublayer]}
    return found


def _held(texts: Copied, base: Mapping[str, Tensor], places: Sequence[str]) -> Iterator[Edit]:
    """What every sub-layer reads stays as it was, in each copy but for the one of that sub-layer.

    places: whose receivers are looked at in each copy.
    """
    size = len(texts.texts)
    for address in addresses(texts.model.config):
        if Address.of(address).name not in READS or not Address.of(address).part:
            continue

        def hold(x: Tensor, address: str = address) -> Tensor:
            own = _sublayer_of(address, texts.model.config)
            for copy, place in enumerate(places):
                if place != own:
                    x[copy * size : (copy + 1) * size] = base[address].to(x)
            return x

        yield Edit(address, hold)


def _changed(given: Mapping[str, Tensor], senders: Sequence[Place], copies: int) -> Iterator[Edit]:
    for place in senders:

        def put(x: Tensor, place: Place = place) -> Tensor:
            own = given[place.address]
            return place.put(x, torch.cat([own] * copies))

        yield Edit(place.address, put)


def _sublayer_of(address: str, config: ModelConfig) -> str:
    """The sub-layer whose input leads to an address; "" for what stands in the stream itself."""
    at = Address.of(address)
    in_branch = {
        "residual": at.name == "branch_input",
        "norm": config.norm_place == "pre" and at.layer is not None,
        "attention": True,
        "feed_forward": True,
    }
    return at.sublayer_place if in_branch.get(at.group, False) else ""


def _names(places: Sequence[str]) -> str:
    return places[0] if len(places) == 1 else f"{places[0]} and {len(places) - 1} more"
