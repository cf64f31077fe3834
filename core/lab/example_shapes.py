"""The shapes of one pass, read off the tensors that the model's own parts record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from core.config import ModelConfig
from core.lab.seeded import unfilled
from core.model.attention import MultiHeadAttention
from core.model.masks import padding_mask, target_mask
from core.model.transformer import Transformer
from core.trace.tape import Recorder


def shapes(inputs: Mapping[str, Any]) -> dict[str, Tensor]:
    """Shapes for `ids`, `vocabulary`, `d_model`, `heads` and `d_ff`, each a row of whole numbers.

    One layer of each stack really runs; further layers have the same shapes.
    """
    config = ModelConfig(
        vocabulary_size=inputs["vocabulary"],
        d_model=inputs["d_model"],
        n_heads=inputs["heads"],
        encoder_layers=1,
        decoder_layers=1,
        d_ff=inputs["d_ff"],
        share_embeddings=True,
        tie_generator=True,
    )
    ids, tape = inputs["ids"].long(), Recorder()
    model = unfilled(lambda: Transformer(config))  # any numbers will do
    attention = unfilled(lambda: MultiHeadAttention(config))
    with torch.no_grad():
        memory = model.encode(ids, tape)  # (B, S, D)
        masks = target_mask(ids, config.pad_id), padding_mask(ids, config.pad_id)
        x = model.target_embedding(ids, tape / "target")  # (B, T, D)
        model.decoder(x, memory, *masks, tape / "decoder")
        heads = attention.split(tape.tensors["source/input"])  # (B, H, S, K)
    layer = "encoder/0/self_attention"
    found = {
        "embedding": tape.tensors["source/embedding"],
        "split": heads.transpose(1, 2),
        "per_head": tape.tensors[f"{layer}/q"],
        "weights": tape.tensors[f"{layer}/weights"],
        "concat": tape.tensors[f"{layer}/concat"],
        "d_ff": tape.tensors["encoder/0/feed_forward/activation"],
        "encoder": memory,
        "decoder": tape.tensors["decoder/0/feed_forward_norm/output"],
    }
    return {name: torch.tensor(value.shape) for name, value in found.items()}
