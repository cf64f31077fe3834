"""Several sentences in one padded batch: where padding masks have something to hide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from core.edits.experiment import Experiment, setting
from core.edits.switch import Setting
from core.edits.variants import with_config
from core.text.vocabulary import PADDING
from core.trace.sites import site_at
from core.trace.tape import Recorder
from core.trace.trace import Trace
from core.translator import Translator


@torch.no_grad()
def padded_runs(
    model: Translator,
    traces: Sequence[Trace],
    experiment: Experiment | None = None,
    asked: Setting | None = None,
) -> tuple[Trace, ...]:
    """One pass over the words of several runs, padded to one length.

    Args:
        model: the plain translator that made the runs.
        traces: at least one; their words are forced, whatever the experiment would have written.
        experiment: its switches hold in the whole batch.
        asked: as in `core.edits.experiment.run`.

    Returns:
        A trace for each sentence: its slice of the batch, `<pad>` among its words. Without
        switches its real rows are those of its own run but for rounding.

    Raises `GlassformerError` as the edits of the experiment do.
    """
    experiment = experiment or Experiment()
    config = experiment.config(model.config)
    edits = experiment.edits(replace(asked or setting(model), config=config))
    chosen, tape = with_config(model, config), Recorder(edits, dropout_seed=experiment.seed)
    source = _padded([trace.source_pieces for trace in traces])
    target = _padded([trace.target_pieces for trace in traces])
    chosen.transformer(_ids(model, source), _ids(model, target), tape)
    tape.finish()
    return tuple(
        replace(
            trace,
            config=config,
            tensors=_slice(tape.tensors, place),
            source_tokens=_long(trace.source_tokens, len(source[0])),
            source_pieces=source[place],
            target_tokens=_long(trace.target_tokens, len(target[0])),
            target_pieces=target[place],
            output_tokens=_long(trace.output_tokens, len(target[0])),
            output_pieces=_long(trace.output_pieces, len(target[0])),
            edits=tuple(map(str, edits)),
            steps=(),
        )
        for place, trace in enumerate(traces)
    )


def _slice(tensors: dict[str, Tensor], place: int) -> dict[str, Tensor]:
    """One sentence's part, its batch axis of size 1 kept; positions belong to all."""
    return {
        address: tensor[place : place + 1] if site_at(address).axes[0] == "batch" else tensor
        for address, tensor in tensors.items()
    }


def _padded(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    longest = max(map(len, rows))
    return [_long(row, longest) for row in rows]


def _long(words: Sequence[str], length: int) -> tuple[str, ...]:
    return (*words, *[PADDING] * (length - len(words)))


def _ids(model: Translator, rows: Sequence[Sequence[str]]) -> Tensor:
    words = model.tokenizer.vocabulary
    return torch.tensor([[words.id(each) for each in row] for row in rows], device=model.device)
