"""§3.4 Embeddings and §3.5 Positional Encoding."""

import math
from functools import lru_cache

import torch
from torch import Tensor, nn

from glassformer.core.config import ModelConfig, Positions
from glassformer.core.model.dropout import dropout
from glassformer.core.model.rms_norm import norm_of
from glassformer.core.trace.tape import SILENT, Tape

BLOCK = 64  # positions: tables are kept in such steps, every decoding step asks for one


class Embedding(nn.Module):
    """From ids to the vectors that enter a stack: look-up, × √d_model, plus position.

    `table` is another one's, `words` how many it has of its own, where not as many as the target.
    """

    def __init__(
        self, config: ModelConfig, table: nn.Embedding | None = None, words: int = 0
    ) -> None:
        super().__init__()
        self.config = config
        self.table = table or nn.Embedding(words or config.vocabulary_size, config.d_model)
        if config.positions == "learned":
            rows = config.max_length + config.position_offset
            self.position_table = nn.Embedding(rows, config.d_model)
        if config.token_types:
            self.type_table = nn.Embedding(config.token_types, config.d_model)
        self.norm = norm_of(config) if config.embedding_norm else None

    def forward(
        self, ids: Tensor, tape: Tape = SILENT, start: int = 0, segments: Tensor | None = None,
        at: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        """Ids (B, S) -> (B, S, D); `start` is the position of the first id.

        segments: which of its texts each position belongs to, (S,), or (B, S) where texts differ
        in it; None for one text, all of it segment 0. at: (B, S), the position of each id where
        texts do not begin at the first, as in `Padding`.
        """
        ids = tape("ids", ids)  # (B, S)
        embedding = tape("embedding", self.table(ids))  # (B, S, D)
        scale = math.sqrt(self.config.d_model) if self.config.embedding_scale else 1.0
        scaled = tape("scaled", embedding * scale)  # (B, S, D)
        positions = tape("positions", self.positions(start, ids.size(-1), at))  # (S, D)
        placed = scaled + positions
        if self.config.token_types:
            segments = torch.zeros_like(ids[0]) if segments is None else segments
            placed = placed + tape("token_type", self.type_table(segments))  # (S, D)
        input = tape("input", dropout(placed, self.config.dropout, tape))  # (B, S, D)
        return self.norm(input, tape / "norm") if self.norm is not None else input

    def positions(self, start: int, length: int, at: Tensor | None = None) -> Tensor:
        """The encodings of positions start .. start + length − 1: (S, D); of `at`: (B, S, D)."""
        if at is not None:
            return self.positions(0, length)[at]
        weight, start = self.table.weight, start + self.config.position_offset
        if self.config.positions == "learned":
            return self.position_table.weight[start : start + length]
        end = start + length
        table = _position_table(end + -end % BLOCK, self.config.d_model, self.config.positions)
        return table[start:end].to(weight, copy=True)  # the table is everybody's


@lru_cache(maxsize=16)
def _position_table(length: int, d_model: int, variant: Positions) -> Tensor:
    return position_encoding(length, d_model, variant)


def position_encoding(length: int, d_model: int, variant: Positions = "paper") -> Tensor:
    """The table of §3.5, (length, d_model), float32, computed in float64.

    PE[pos, 2i] = sin(pos / 10000^(2i/D)) and PE[pos, 2i+1] = cos(pos / 10000^(2i/D)).
    `notes` divides the cosine's angle by 10000^((2i+1)/D) instead, `halves` lays all sines
    before all cosines, `spread` too, with a slowest wave of exactly 10000 · 2π positions. `none` is
    zero, and so are positions that come in later: in the attention (`rotary`, `relative`). A
    `learned` table belongs to a model: see `Embedding`.
    """
    if variant in ("none", "rotary", "relative"):
        return torch.zeros(length, d_model)
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (S, 1)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # (D / 2,)
    if variant == "spread":
        even = even * d_model / max(1, d_model - 2)
    sine = torch.sin(position * dimension_frequency(even, d_model))  # (S, D / 2)
    shift = 1 if variant == "notes" else 0
    cosine = torch.cos(position * dimension_frequency(even + shift, d_model))  # (S, D / 2)
    if variant in ("halves", "spread"):
        return torch.cat([sine, cosine], dim=-1).float()
    return torch.stack([sine, cosine], dim=-1).flatten(-2).float()  # (S, D), interleaved


def dimension_frequency(dimension: Tensor, d_model: int) -> Tensor:
    """How fast a dimension turns, in radians a position: 1 / 10000^(dimension / D), §3.5."""
    return torch.exp(-math.log(10000.0) * dimension / d_model)
