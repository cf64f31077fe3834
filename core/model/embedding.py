"""§3.4 Embeddings and §3.5 Positional Encoding."""

import math
from functools import lru_cache

import torch
from torch import Tensor, nn

from core.config import ModelConfig, Positions
from core.model.dropout import dropout
from core.trace.tape import SILENT, Tape

BLOCK = 64  # positions: tables are kept in such steps, every decoding step asks for one


class Embedding(nn.Module):
    """From ids to the vectors that enter a stack: look-up, × √d_model, plus position."""

    def __init__(self, config: ModelConfig, table: nn.Embedding | None = None) -> None:
        super().__init__()
        self.config = config
        self.table = table or nn.Embedding(config.vocabulary_size, config.d_model)
        if config.positions == "learned":
            self.position_table = nn.Embedding(config.max_length, config.d_model)

    def forward(self, ids: Tensor, tape: Tape = SILENT, start: int = 0) -> Tensor:
        """Ids (B, S) -> (B, S, D); `start` is the position of the first id."""
        ids = tape("ids", ids)  # (B, S)
        embedding = tape("embedding", self.table(ids))  # (B, S, D)
        scale = math.sqrt(self.config.d_model) if self.config.embedding_scale else 1.0
        scaled = tape("scaled", embedding * scale)  # (B, S, D)
        positions = tape("positions", self.positions(start, ids.size(-1)))  # (S, D)
        input = tape("input", dropout(scaled + positions, self.config.dropout, tape))
        return input  # (B, S, D)

    def positions(self, start: int, length: int) -> Tensor:
        """The encodings of positions start .. start + length − 1: (S, D)."""
        weight = self.table.weight
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
    before all cosines, `none` is zero. A `learned` table belongs to a model: see `Embedding`.
    """
    if variant == "none":
        return torch.zeros(length, d_model)
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (S, 1)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)  # (D / 2,)
    sine = torch.sin(position * frequency(even, d_model))  # (S, D / 2)
    shift = 1 if variant == "notes" else 0
    cosine = torch.cos(position * frequency(even + shift, d_model))  # (S, D / 2)
    if variant == "halves":
        return torch.cat([sine, cosine], dim=-1).float()
    return torch.stack([sine, cosine], dim=-1).flatten(-2).float()  # (S, D), interleaved


def frequency(dimension: Tensor, d_model: int) -> Tensor:
    """How fast a dimension turns, in radians a position: 1 / 10000^(dimension / D), §3.5."""
    return torch.exp(-math.log(10000.0) * dimension / d_model)
