"""Probes: whether a label can be read off a recorded tensor by a linear map, beside a control.

Logistic regression on vectors of some texts, tried on others (Alain & Bengio 2016). A probe may
learn what the model does not know, so the same is done with random labels; the difference of the
two accuracies is the selectivity (Hewitt & Liang 2019).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core import interruption
from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import to_float64
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.sites import in_list, sites_named, stack_sides, word_vectors
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.results import Result
from glassformer.core.trace.tape import Edit

if TYPE_CHECKING:
    import pandas as pd

Label = str | int
At = int | Literal["mean"]
STEPS, PENALTY = 200, 1e-3  # of LBFGS; what a squared weight costs beside the mean loss
Z95 = 1.959964  # of a 95% interval


@dataclass(frozen=True)
class ProbedSite:
    """What a probe at one address reads: shares of right answers on texts that it has not seen."""

    address: str
    accuracy: float
    low: float  # the 95% interval of the accuracy (Wilson)
    high: float
    control: float  # with random labels, the mean of several draws
    majority: float  # of who always says the most frequent label
    trained_on: int
    tried_on: int

    @property
    def selectivity(self) -> float:
        """Accuracy less that of the control."""
        return self.accuracy - self.control


@dataclass(frozen=True, repr=False)
class Probe(Result):
    """Probes of a label at several addresses.

    `directions[address]` is (D, C): what a vector is multiplied by for the score of each label, in
    the order of `labels`; `offsets[address]` (C,) is added.
    """

    labels: tuple[Label, ...]
    sites: tuple[ProbedSite, ...]
    directions: Mapping[str, Tensor] = field(default_factory=dict)
    offsets: Mapping[str, Tensor] = field(default_factory=dict)

    def headline(self) -> str:
        best = max(self.sites, key=lambda each: each.selectivity)
        return (
            f"probe of {len(self.labels)} labels at {len(self.sites)} sites: at {best.address} "
            f"{best.accuracy:.3f} right, {best.control:.3f} with random labels, n = {best.tried_on}"
        )

    def table(self) -> pd.DataFrame:
        """A row an address."""
        import pandas as pd  # slow to import

        rows = [
            {"site": each.address, "accuracy": each.accuracy, "low": each.low, "high": each.high,
             "control": each.control, "selectivity": each.selectivity, "majority": each.majority,
             "trained on": each.trained_on, "tried on": each.tried_on}
            for each in self.sites
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def lines(self) -> pd.DataFrame:
        return self.table().nlargest(10, "selectivity")


def probe(
    model: Model,
    texts: Sequence[GivenText],
    labels: Sequence[Label] | Sequence[Sequence[Label]],
    *,
    site: str = "stream",
    at: At = "mean",
    held_out: float = 0.25,
    controls: int = 5,
    targets: Sequence[GivenText | None] | None = None,
    edits: Sequence[Edit] = (),
    seed: int = 0,
    batch_size: int = 64,
) -> Probe:
    """Trains a linear probe at each address and tries it on texts that it has not seen.

    It shows that a label can be read off linearly, not that the model does so: ablate the
    direction, or steer along it, for that. Few texts make wide intervals; the control says how much
    of an accuracy the probe would reach with labels that mean nothing.

    Cost: a run of the texts, and on the CPU 1 + `controls` regressions an address.

    Args:
        model: it is only run.
        texts: many.
        labels: one a text; or of each text one a word of the site's side.
        site: as `patch` takes it; every address is probed by itself.
        at: of a label a text: the mean of its words, or the vector of one word (−1 is the last).
        held_out: the share of the texts that the probe is tried on; the same text is never on
            both sides.
        controls: how often labels are drawn at random: those of texts are shuffled, words get one
            a kind of word.
        targets: what is forced on the decoder, one a text.
        edits: what holds in the runs.
        seed: of the split and of the random labels.
        batch_size: most texts in one batch.

    Returns:
        Accuracy, its interval, control, selectivity and majority by address.

    Raises:
        GlassformerError: `probe_labels` for more or fewer labels than texts or words,
            `probe_classes` for a single label or too few texts, `site_per_word` for attention maps,
            and as `sites_named` and `run_batch`.
    """
    every = in_list(texts)
    addresses = sites_named(site, model.config)
    if len(labels) != len(every):
        raise GlassformerError("probe_labels", given=len(labels), needed=len(every), what="texts")
    generator = torch.Generator().manual_seed(seed)
    tried = _tried_texts(every, held_out, generator)
    examples = _Examples(addresses, labels, tried, at)
    for start in range(0, len(every), batch_size):
        part = slice(start, start + batch_size)
        goals = None if targets is None else targets[part]
        batch = run_batch(model, every[part], targets=goals, keep=addresses, edits=edits)
        examples.add(batch, range(len(every))[part])
    examples.check()
    found, directions, offsets = list[ProbedSite](), dict[str, Tensor](), dict[str, Tensor]()
    for address in interruption.count_parts(addresses, len(addresses)):
        site_found, weights, offset = examples.probe_site(address, controls, generator)
        found.append(site_found)
        directions[address], offsets[address] = weights, offset
    return Probe(examples.names, tuple(found), directions, offsets)


def _tried_texts(
    texts: Sequence[GivenText], share: float, generator: torch.Generator
) -> set[int]:  # fmt: skip
    """The places of the texts to be tried on."""
    names = [each if isinstance(each, str) else tuple(each) for each in texts]
    kinds = list(dict.fromkeys(names))
    order = torch.randperm(len(kinds), generator=generator).tolist()
    tried = {kinds[at] for at in order[: max(1, round(share * len(kinds)))]}
    return {at for at, name in enumerate(names) if name in tried}


class _Examples:
    """Vectors with their labels, in two parts: texts to learn from, and others to be tried on."""

    def __init__(
        self, addresses: Sequence[str], labels: Sequence[Label] | Sequence[Sequence[Label]],
        tried: set[int], at: At,
    ) -> None:  # fmt: skip
        self._labels, self._tried, self._at = labels, tried, at
        self._per_word = not isinstance(labels[0], str | int)
        rows = ([each] if isinstance(each, str | int) else each for each in labels)
        self.names: tuple[Label, ...] = tuple(
            sorted({label for row in rows for label in row}, key=str)
        )
        self._vectors: dict[str, list[Tensor]] = {address: [] for address in addresses}
        self._given: dict[str, list[int]] = {address: [] for address in addresses}
        self._kinds: dict[str, list[str]] = {address: [] for address in addresses}
        self._is_tried: dict[str, list[bool]] = {address: [] for address in addresses}

    def add(self, batch: Batch, places: range) -> None:
        """The vectors of a batch, the texts at these places of all."""
        for address in self._vectors:
            vectors, mask = word_vectors(batch, address)  # (B, n, D), (B, n)
            [side] = stack_sides(address).values()
            pieces = batch.source_pieces if side == "source" else batch.target_pieces
            for index, place in enumerate(places):
                own = to_float64(vectors[index][mask[index]])  # (words, D)
                labels, kinds = self._labels_of(place, pieces[index])
                self._vectors[address].append(own if self._per_word else self._of_text(own))
                self._given[address] += [self.names.index(each) for each in labels]
                self._kinds[address] += kinds
                self._is_tried[address] += [place in self._tried] * len(labels)

    def check(self) -> None:
        """Raises unless there is something to learn, and to be tried on."""
        for address, given in self._given.items():
            tried = self._is_tried[address]
            learnt = {each for each, is_tried in zip(given, tried, strict=True) if not is_tried}
            if len(self.names) < 2 or len(learnt) < 2 or not any(tried):
                raise GlassformerError("probe_classes", given=len(learnt), texts=len(self._labels))

    def probe_site(
        self, address: str, controls: int, generator: torch.Generator
    ) -> tuple[ProbedSite, Tensor, Tensor]:
        """A probe at an address and its controls; weights (D, C) and offsets (C,)."""
        vectors = torch.cat(self._vectors[address])  # (N, D)
        given, tried = torch.tensor(self._given[address]), torch.tensor(self._is_tried[address])
        weights, offset = fit_logistic(vectors[~tried], given[~tried], len(self.names))
        right = _accuracy(vectors[tried], given[tried], weights, offset)
        drawn = [self._control(address, vectors, given, tried, generator) for _ in range(controls)]
        count = int(tried.sum())
        most = given[~tried].mode().values
        low, high = wilson_interval(right, count)
        found = ProbedSite(
            address, right, low, high, sum(drawn) / len(drawn) if drawn else math.nan,
            float((given[tried] == most).double().mean()), len(given) - count, count,
        )  # fmt: skip
        return found, weights.float(), offset.float()

    def _control(
        self, address: str, vectors: Tensor, given: Tensor, tried: Tensor,
        generator: torch.Generator,
    ) -> float:  # fmt: skip
        """The accuracy with random labels: shuffled, or of words one a kind of word."""
        shuffled = given[torch.randperm(len(given), generator=generator)]
        if self._per_word:
            kinds = self._kinds[address]
            places = {kind: at for at, kind in enumerate(dict.fromkeys(kinds))}
            shuffled = shuffled[torch.tensor([places[kind] for kind in kinds])]
        weights, offset = fit_logistic(vectors[~tried], shuffled[~tried], len(self.names))
        return _accuracy(vectors[tried], shuffled[tried], weights, offset)

    def _labels_of(self, place: int, pieces: Sequence[str]) -> tuple[list[Label], list[str]]:
        own = self._labels[place]
        if isinstance(own, str | int):
            return [own], [""]
        if len(own) != len(pieces):
            what = f"words of text {place}"
            raise GlassformerError("probe_labels", given=len(own), needed=len(pieces), what=what)
        return list(own), list(pieces)

    def _of_text(self, words: Tensor) -> Tensor:
        """(words, D) -> (1, D)."""
        if self._at == "mean":
            return words.mean(dim=0, keepdim=True)
        if not -len(words) <= self._at < len(words):
            raise GlassformerError(
                "out_of_range", name="position", given=self._at, last=len(words) - 1
            )
        return words[self._at][None]


@torch.enable_grad()
def fit_logistic(vectors: Tensor, labels: Tensor, classes: int) -> tuple[Tensor, Tensor]:
    """Multinomial logistic regression with a small squared penalty, by LBFGS.

    Args:
        vectors: (N, D) float64; each feature is scaled to mean 0 and deviation 1 inside.
        labels: (N,) ids from 0.
        classes: C.

    Returns:
        Weights (D, C) and offsets (C,), for vectors as they were given.
    """
    mean, spread = vectors.mean(dim=0), vectors.std(dim=0, correction=0)
    spread = torch.where(spread > 0, spread, 1.0)
    scaled = (vectors - mean) / spread
    weights = scaled.new_zeros(scaled.size(1), classes, requires_grad=True)
    offset = scaled.new_zeros(classes, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weights, offset], max_iter=STEPS, tolerance_grad=1e-6, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimiser.zero_grad()
        found = functional.cross_entropy(scaled @ weights + offset, labels)
        found = found + PENALTY * weights.square().sum()
        found.backward()  # type: ignore[no-untyped-call]
        return found

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    plain = weights.detach() / spread[:, None]
    return plain, offset.detach() - mean @ plain


def wilson_interval(share: float, count: int) -> tuple[float, float]:
    """The 95% interval of a share, by Wilson.

    Args:
        share: 0..1.
        count: of trials.

    Returns:
        Its two ends, within 0..1.
    """
    middle = share + Z95**2 / (2 * count)
    half = Z95 * math.sqrt(share * (1 - share) / count + Z95**2 / (4 * count**2))
    whole = 1 + Z95**2 / count
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def _accuracy(vectors: Tensor, labels: Tensor, weights: Tensor, offset: Tensor) -> float:
    return float(((vectors @ weights + offset).argmax(dim=-1) == labels).double().mean())
