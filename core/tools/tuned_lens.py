"""The tuned lens: the logit lens after a learned affine map of each state (Belrose et al. 2023).

Each layer gets x + x A + b, A and b trained so that what the generator then reads comes close to
what the model writes in the end: KL(final ‖ lens) is made small (arXiv 2303.08112, §3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from glassformer.core import interruption
from glassformer.core.analysis.logit_lens import LensState, lens_states, read_state
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.batches import run_batch
from glassformer.core.text_models.given_texts import GivenText
from glassformer.core.text_models.model import Model
from glassformer.core.tools.logits import LogitLens, Run, read_lens
from glassformer.core.tools.sites import in_list
from glassformer.core.trace.results import Result
from glassformer.core.untrusted import UNREADABLE, problem_of, tensor_header

if TYPE_CHECKING:
    import pandas as pd

AT_ONCE = 256  # words in one step
RATE = 3e-3
HEADER = "glassformer_tuned_lens"


@dataclass(frozen=True, repr=False)
class TunedLens(Result):
    """The learned maps of one model's states, by address: A (D, D) and b (D,).

    A state without a map (the last one) is read as it is. `divergence` has KL(final ‖ lens) in nats
    on the texts it was fitted to, by address: with the plain lens, and with this one.
    """

    model_name: str
    matrices: Mapping[str, Tensor]
    biases: Mapping[str, Tensor]
    divergence: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def headline(self) -> str:
        return f"tuned lens of {self.model_name}: {len(self.matrices)} states"

    def table(self) -> pd.DataFrame:
        """A row a state: the mean divergence on the texts it was fitted to, in nats."""
        return _table(self.divergence)

    def translate(self, address: str, x: Tensor) -> Tensor:
        """A state (…, D) as the lens reads it; one without a map as it is."""
        if address not in self.matrices:
            return x
        return x + x @ self.matrices[address].to(x) + self.biases[address].to(x)

    def read(self, run: Run, *, k: int = 5, model: Model | None = None) -> LogitLens:
        """What each layer would write, read through the lens; as `logit_lens` otherwise.

        Raises GlassformerError `lens_model` for a run of another model, and as `logit_lens`.
        """
        if run.model_name != self.model_name:
            raise GlassformerError("lens_model", made_on=self.model_name, given=run.model_name)
        return read_lens(run, model, self.translate, "tuned lens", k)

    def measure(
        self, model: Model, texts: Sequence[GivenText],
        targets: Sequence[GivenText | None] | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """The divergence on texts, of the plain lens and of this one, as `table`."""
        words = _Words.of(model, in_list(texts), targets)
        return _table({
            place.state.address: (words.divergence(place, None), words.divergence(place, self))
            for place in words.states[:-1]
        })  # fmt: skip

    def save(self, path: str | Path) -> None:
        """Writes one safetensors file."""
        tensors = {f"matrix {name}": each.cpu() for name, each in self.matrices.items()}
        tensors |= {f"bias {name}": each.cpu() for name, each in self.biases.items()}
        about = {"model_name": self.model_name, "divergence": dict(self.divergence)}
        save_file(tensors, path, metadata={HEADER: json.dumps(about, ensure_ascii=False)})

    @staticmethod
    def load(path: str | Path) -> TunedLens:
        """Reopens what `save` wrote.

        Raises GlassformerError `lens_damaged`.
        """
        path = Path(path)
        try:
            about = json.loads(tensor_header(path)[0][HEADER])
            stored = load_file(path)
            found: dict[str, dict[str, Tensor]] = {"matrix": {}, "bias": {}}
            for name, tensor in stored.items():
                kind, _, address = name.partition(" ")
                found[kind][address] = tensor
            both = {name: (float(a), float(b)) for name, (a, b) in about["divergence"].items()}
            return TunedLens(str(about["model_name"]), found["matrix"], found["bias"], both)
        except UNREADABLE as error:
            problem = problem_of(error)
            raise GlassformerError("lens_damaged", path=path.name, problem=problem) from error


def fit(
    model: Model,
    texts: Sequence[GivenText],
    *,
    targets: Sequence[GivenText | None] | None = None,
    steps: int = 200,
    seed: int = 0,
) -> TunedLens:
    """Learns the affine map of each state from texts.

    It says what a linear reader that was trained for it finds in a layer, not what the model itself
    reads there; on texts unlike those it was fitted to it may be worse than the plain lens. Cost: a
    run of the texts, then `steps` small steps a state.

    Args:
        model: it is only run.
        texts: many; a few hundred words for each of its features is much.
        targets: what is forced on the decoder, one a text; None as `run_batch`.
        steps: of Adam, each over 256 words.
        seed: of which words a step takes.

    Returns:
        The lens.

    Raises:
        GlassformerError: `no_generator` for a model that writes no words, and as `run_batch`.
    """
    words = _Words.of(model, in_list(texts), targets)
    generator = torch.Generator().manual_seed(seed)
    matrices, biases = dict[str, Tensor](), dict[str, Tensor]()
    tuned = words.states[:-1]  # the last one is what the generator reads
    for place in interruption.count_parts(tuned, len(tuned)):
        address = place.state.address
        matrices[address], biases[address] = words.fitted(place, steps, generator)
    plain = TunedLens(model.name, matrices, biases)
    both = {
        each.state.address: (words.divergence(each, None), words.divergence(each, plain))
        for each in tuned
    }
    return TunedLens(model.name, matrices, biases, both)


@dataclass(frozen=True)
class _Words:
    """The states of all words of some texts, (W, D) by address."""

    transformer: Transformer
    states: tuple[LensState, ...]
    vectors: Mapping[str, Tensor]

    @staticmethod
    def of(
        model: Model, texts: Sequence[GivenText], targets: Sequence[GivenText | None] | None
    ) -> _Words:
        if not model.config.has_generator:
            raise GlassformerError("no_generator", name=model.name)
        states = lens_states(model.config)
        addresses = [each.state.address for each in states]
        parts: dict[str, list[Tensor]] = {address: [] for address in addresses}
        for start in range(0, len(texts), 64):
            part = slice(start, start + 64)
            goals = None if targets is None else targets[part]
            batch = run_batch(model, texts[part], targets=goals, keep=addresses)
            for address in addresses:
                vectors = batch[address][batch.target_mask]  # (words, D)
                parts[address].append(vectors.to(torch.promote_types(vectors.dtype, torch.float32)))
        vectors_of = {address: torch.cat(each) for address, each in parts.items()}
        return _Words(model.transformer, states, vectors_of)

    def fitted(
        self, place: LensState, steps: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """A and b of one state."""
        x = self.vectors[place.state.address]
        width = x.size(-1)
        matrix = x.new_zeros(width, width, requires_grad=True)
        bias = x.new_zeros(width, requires_grad=True)
        optimiser = torch.optim.Adam([matrix, bias], lr=RATE)
        decay = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, steps)
        for _ in range(steps):
            some = torch.randint(len(x), (min(AT_ONCE, len(x)),), generator=generator)
            some = some.to(x.device)
            with torch.enable_grad():
                read = x[some] + x[some] @ matrix + bias
                loss = self._divergences(place, read, some).mean()
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            decay.step()
        return matrix.detach(), bias.detach()

    @torch.no_grad()
    def divergence(self, place: LensState, tuned: TunedLens | None) -> float:
        """KL(final ‖ lens), the mean over all words, in nats; plain without a lens."""
        x = self.vectors[place.state.address]
        total = 0.0
        for start in range(0, len(x), AT_ONCE):
            some = torch.arange(start, min(start + AT_ONCE, len(x)), device=x.device)
            read = x[some] if tuned is None else tuned.translate(place.state.address, x[some])
            total += float(self._divergences(place, read, some).sum())
        return total / len(x)

    def _divergences(self, place: LensState, read: Tensor, some: Tensor) -> Tensor:
        """KL(final ‖ lens) of some words, (w,)."""
        last = self.states[-1]
        dtype = self.transformer.generator.weight.dtype
        with torch.no_grad():
            final = self.vectors[last.state.address][some].to(dtype)
            goal = read_state(self.transformer, last, final).float().log_softmax(dim=-1)
        found = read_state(self.transformer, place, read.to(dtype)).float().log_softmax(dim=-1)
        return (goal.exp() * (goal - found)).sum(dim=-1)


def _table(both: Mapping[str, tuple[float, float]]) -> pd.DataFrame:
    import pandas as pd  # slow to import

    rows = [{"state": name, "plain": one, "tuned": two} for name, (one, two) in both.items()]
    return pd.DataFrame(rows, columns=["state", "plain", "tuned"])
