"""What comes out of each block for the words in focus, as one stripe of colours in the block."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from glassformer.app.panels.words import words_panel
from glassformer.app.plots.colours import diverging_scale
from glassformer.app.plots.labels import visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import State
from glassformer.app.ui.component import pack_numbers
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import head_map, marks_of
from glassformer.core.analysis.blocks import Block, Kind, blocks_of_model
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

WITHOUT: tuple[Kind, ...] = ("layer", "linear", "softmax")  # what comes out is no vector of D
STACKS = ("encoder", "decoder")
ZERO = 127  # the level of 0; 0 and 254 are the largest magnitude of a vector, on either side
BENT = 0.6  # power of a share of the largest magnitude: in so small a place weak ones would be lost
MOST = 256  # cells of a stripe; of longer vectors each cell is a mean


def rows_in_focus(now: State, trace: Trace) -> dict[str, int]:
    """Of each stack the row whose vectors are shown.

    The clicked words; without one the word of which the candidates are shown, and the word of the
    source that it looks at most.
    """
    if not trace.config.has_generator:
        return dict.fromkeys(STACKS, now.token[1] if now.token else 0)
    target = words_panel.step_in_focus(now, trace)
    if not trace.config.has_both:
        return dict.fromkeys(STACKS, target)
    if now.token and now.token[0] == "source":
        return {"encoder": now.token[1], "decoder": target}
    layer, head = words_panel.attention_in_focus(now, trace)
    weights = head_map(trace, "cross", layer, head, "weights").weights[target]
    marks = [at for at, piece in enumerate(trace.source_pieces) if piece in marks_of(trace)]
    seen = np.nan_to_num(weights, nan=-1.0)
    if len(marks) < len(seen):
        seen[marks] = -1
    return {"encoder": int(seen.argmax()), "decoder": target}


def strips_of(
    trace: Trace, rows: Mapping[str, int], look: FigureStyle, layers: Mapping[Any, int]
) -> dict[str, Any]:
    """The stripes by the ids of their blocks, with their least and largest numbers; and the legend.

    A stripe is levels from 0 to 254, `ZERO` in the middle, as base64. layers: of each stack the one
    that is drawn in full; the blocks of others have none.
    """
    found = {}
    for block in blocks_of_model(trace.config):
        drawn = block.layer is None or block.layer == layers.get(block.stack)
        if drawn and block.kind not in WITHOUT:
            vector = vector_of(trace, block, rows)
            least, largest = (look.number(float(end(vector))) for end in (np.min, np.max))
            found[block.id] = [pack_numbers(levels_of(vector)), least, largest]
    told = _words(trace, rows)
    return {
        "rows": found,
        "stops": diverging_scale(look.dark),
        "legend": say("map.strips", words=told),
        "tip": say("map.strip_tip", count=trace.config.d_model, low="{low}", high="{high}"),
    }


def vector_of(trace: Trace, block: Block, rows: Mapping[str, int]) -> np.ndarray:
    """What comes out of a block in the row of its stack, (D,)."""
    whole = trace[block.after]
    # Of a run on a GPU one row comes to the host, not all.
    row: np.ndarray = as_numpy(whole.reshape(-1, whole.shape[-1])[rows[block.stack]])
    return row


def levels_of(vector: np.ndarray) -> np.ndarray:
    """Levels of at most `MOST` cells, (cells,) of uint8; of what is no number that of 0."""
    cells = np.nan_to_num(vector, posinf=0, neginf=0)
    if len(cells) > MOST:
        starts = np.arange(MOST) * len(cells) // MOST
        cells = np.add.reduceat(cells, starts) / np.diff(starts, append=len(cells))
    share = cells / (np.abs(cells).max() or 1.0)
    bent = np.sign(share) * np.abs(share) ** BENT
    levels: np.ndarray = np.rint(ZERO + ZERO * bent).astype(np.uint8)
    return levels


def _words(trace: Trace, rows: Mapping[str, int]) -> str:
    """Of which words the stripes are."""
    if trace.config.has_both:
        source = visible(trace.source_tokens[rows["encoder"]])
        written = visible(trace.output_tokens[rows["decoder"]])
        return f"“{source}” → “{written}”"
    tokens = trace.source_tokens if trace.config.encoder_layers else trace.target_tokens
    return f"“{visible(tokens[rows['decoder']])}”"
