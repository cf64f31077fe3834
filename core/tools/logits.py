"""What wrote a logit, and what each layer would write: attribution and lens of one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from glassformer.core.analysis.logit_attribution import LogitAttribution, logit_attribution
from glassformer.core.analysis.logit_lens import Lens, Translate, best_words, lens
from glassformer.core.analysis.metrics import Word, id_in
from glassformer.core.errors import GlassformerError, check_index
from glassformer.core.model.transformer import Transformer
from glassformer.core.text_models.model import Model
from glassformer.core.trace.address import Address
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.results import LINES, POSITIVE, GridAxis, Picture, Result, ResultGrid
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

Run = Trace | Batch


@dataclass(frozen=True, repr=False)
class DirectLogitAttribution(Result):
    """A logit, or the difference of two, as an exact sum of what every part wrote."""

    found: LogitAttribution
    of: str  # the word, or both

    def headline(self) -> str:
        return (
            f"{self.of} at row {self.found.row}: {self.found.logit:.4g}, the sum of "
            f"{len(self.found.parts)} parts (error {self.found.error:.1e})"
        )

    def table(self) -> pd.DataFrame:
        """A row a part: name, place, layer, head (from 0) and what it adds."""
        return self.found.table()

    def lines(self) -> pd.DataFrame:
        table = self.table()
        order = table["adds"].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order[:LINES]]

    def by_head(self) -> ResultGrid:
        """What each head adds: place × head, NaN where a place has fewer heads."""
        found = self.found.by_head()
        places = sorted(dict.fromkeys(place for place, _ in found), key=_in_order)
        heads = max(head for _, head in found) + 1
        values = np.full((len(places), heads), np.nan)
        for (place, head), adds in found.items():
            values[places.index(place), head] = adds
        axes = (GridAxis("place", tuple(places)), GridAxis("head", tuple(range(heads))))
        return ResultGrid(f"heads that write {self.of}", "adds", values, axes)

    def by_layer(self) -> dict[int | None, float]:
        """What each layer adds, None for all that is in no layer."""
        return self.found.by_layer()


@dataclass(frozen=True, repr=False)
class LogitLens(Result):
    """What the generator makes of each state at each row; see `core.analysis.logit_lens.Lens`."""

    lens: Lens
    best: tuple[tuple[str, ...], ...]  # the most probable word, by state and row
    kind: str = "logit lens"
    states: tuple[str, ...] = field(default=())

    def headline(self) -> str:
        states, rows = self.lens.chosen.shape
        return f"{self.kind}: {states} states, {rows} rows"

    def table(self) -> pd.DataFrame:
        """A row a state and row: the best word, p of it and of what was written, rank, KL, entropy.

        Divergence is KL(final ‖ state), both in nats.
        """
        import pandas as pd  # slow to import

        found = self.lens
        rows = [
            {"state": state, "row": row, "read": found.read[row], "written": found.written[row],
             "best": self.best[at][row], "p_best": found.probabilities[at, row, 0],
             "p_written": found.chosen[at, row], "rank": found.rank[at, row],
             "divergence": found.divergence[at, row], "entropy": found.entropy[at, row]}
            for at, state in enumerate(self.states)
            for row in range(len(found.read))
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def lines(self) -> pd.DataFrame:
        """The last row, state by state."""
        table = self.table()
        return table[table["row"] == len(self.lens.read) - 1].tail(LINES)

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` over state and row, rows with the words that they read."""
        found = self.lens
        grids = {"p_written": found.chosen, "divergence": found.divergence,
                 "entropy": found.entropy, "rank": found.rank.astype(np.float64)}  # fmt: skip
        axes = (GridAxis("state", self.states), GridAxis("row", found.read, counted=True))
        arrays = [
            ResultGrid(self.kind, name, np.asarray(values, np.float64), axes).to_xarray()
            for name, values in grids.items()
        ]
        return arrays[0].to_dataset().assign({each.name: each for each in arrays[1:]})

    def picture(self) -> Picture:
        """The best word of each state and row, the darker the more probable."""
        found = self.lens
        head = "".join(f"<th>{escape(word)}</th>" for word in found.read)
        lines = [f"<tr><th></th>{head}</tr>"]
        for at in reversed(range(len(self.states))):
            cells = "".join(
                _cell(word, float(share))
                for word, share in zip(self.best[at], found.probabilities[at, :, 0], strict=True)
            )
            lines.append(f"<tr><th>{escape(self.states[at])}</th>{cells}</tr>")
        return Picture(f"<p>{escape(self.headline())}</p><table>{''.join(lines)}</table>")


def direct_logit_attribution(
    run: Run, word: Word, other: Word | None = None, *, at: int = -1, model: Model | None = None
) -> DirectLogitAttribution:
    """What every head, feed-forward network, bias and the embedding wrote for a word, exactly.

    The parts are multiplied by the word's row of the generator, norms between held as they were in
    this run (Elhage et al. 2021; nostalgebraist 2020). It says nothing of what a part does through
    later parts, nor of what the norms would be without it. Positive parts raise the word's logit
    (over the other's). Cost: one pass over the parts of a row, no run.

    Args:
        run: of one text, everything kept.
        word: as it is written, or its id.
        other: the word whose logit is taken off; None for the logit itself.
        at: the row of the output, from 0; −1 is the last.
        model: the one that made the run; None where the run knows it.

    Returns:
        The parts; they add up to the recorded logit but for rounding.

    Raises:
        GlassformerError: `run_model`, `one_run` for a batch of several, `no_generator`,
            `word_unknown`, `out_of_range` for a row or an id that does not exist,
            `unknown_address` for a run that kept too little.
    """
    trace, transformer = _one_run(run, model)
    rows = len(trace.output_tokens)
    row = at + rows if at < 0 else at
    check_index("row", row, rows)
    ids = [None if each is None else id_in(run, each) for each in (word, other)]
    assert ids[0] is not None
    found = logit_attribution(trace, transformer, row, ids[0], ids[1])
    of = f"logit of {word}" + ("" if other is None else f" − logit of {other}")
    return DirectLogitAttribution(found, of)


def logit_lens(
    run: Run, *, k: int = 5, sublayers: bool = False, model: Model | None = None
) -> LogitLens:
    """What each layer would write if the generator read it already (nostalgebraist 2020).

    It is a look from outside: the model never reads an early state this way, and early layers may
    use another basis, so an odd word there says little (`tuned_lens` learns the basis). Cost: the
    generator on each state.

    Args:
        run: of one text, the states kept.
        k: words kept of each distribution.
        sublayers: reads each sub-layer too.
        model: the one that made the run; None where the run knows it.

    Returns:
        The words by state and row, with probability, rank, divergence and entropy.

    Raises:
        GlassformerError: `run_model`, `one_run`, `unknown_address` for a model that writes no
            words or a run that kept too little.
    """
    return read_lens(run, model, None, "logit lens", k, sublayers)


def read_lens(
    run: Run, model: Model | None, translate: Translate | None, kind: str, k: int = 5,
    sublayers: bool = False,
) -> LogitLens:  # fmt: skip
    """A lens, plain or tuned, of one run.

    Args:
        run: of one text.
        model: the one that made it; None where the run knows it.
        translate: what is done to each state before it is read; None for nothing.
        kind: what the lens is called.
        k: words kept of each distribution.
        sublayers: reads each sub-layer too.

    Returns:
        The words by state and row.

    Raises:
        GlassformerError: as `logit_lens`.
    """
    trace, transformer = _one_run(run, model)
    found = lens(trace, transformer, k, sublayers, translate)
    rows = range(len(found.read))
    best = tuple(
        tuple(best_words(trace, found, state, row)[0].token for row in rows)
        for state in range(len(found.states))
    )
    names = tuple(each.state.address for each in found.states)
    return LogitLens(found, best, kind, names)


def _one_run(run: Run, model: Model | None) -> tuple[Trace, Transformer]:
    if isinstance(run, Batch):
        if len(run) != 1:
            raise GlassformerError("one_run", given=len(run))
        run = run.at(0)
    transformer = run.transformer if model is None else model.transformer
    if transformer is None:
        raise GlassformerError("run_model")
    return run, transformer


def _in_order(place: str) -> tuple[str, int, str]:
    at = Address.of(place)
    order = {"self_attention": "0", "cross_attention": "1"}
    return at.stack, at.layer or 0, order.get(at.sublayer, "2")


def _cell(word: str, share: float) -> str:
    colour = f"color-mix(in oklab,{POSITIVE} {round(70 * share)}%,transparent)"
    return f'<td style="background:{colour}" title="{share:.4g}">{escape(word)}</td>'
