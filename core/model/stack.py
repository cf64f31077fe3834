"""One of the two stacks alone: an encoder that fills in blanks, a decoder that continues a text.

They take what the whole model takes, and leave alone what they have no use for.
"""
# ruff: noqa: ARG002

from collections.abc import Sequence

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.cache import LayerCache
from glassformer.core.model.decoder import Decoder
from glassformer.core.model.embedding import Embedding
from glassformer.core.model.encoder import Encoder
from glassformer.core.model.masks import NO_PADDING, Padding, causal_mask, padding_mask, target_mask
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import SILENT, Tape


class EncoderAlone(Transformer):
    """BERT (Devlin et al. 2018): every position sees all others and scores the word that it is."""

    def __init__(self, config: ModelConfig) -> None:
        nn.Module.__init__(self)
        self.config = config
        self.source_embedding = Embedding(config)
        self.encoder = Encoder(config)
        self._add_generator(self.source_embedding.table)

    def forward(
        self, source_ids: Tensor, target_ids: Tensor, tape: Tape = SILENT,
        segments: Tensor | None = None, padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """Ids (B, S) -> logits (B, S, V); vectors (B, S, D) of a model without a generator."""
        if self.config.has_generator:
            return super().forward(source_ids, target_ids, tape, segments, padding)
        return self.decode(source_ids, target_ids, tape, segments, padding)

    def decode(
        self, source_ids: Tensor, target_ids: Tensor, tape: Tape = SILENT,
        segments: Tensor | None = None, padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """The pass up to the generator: ids (B, S) -> (B, S, D); there is no target."""
        return self.encode(source_ids, tape, segments, padding)

    def encode(
        self, source_ids: Tensor, tape: Tape = SILENT, segments: Tensor | None = None,
        padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """Reads a text or a pair of texts: ids (B, S) -> (B, S, D)."""
        mask = padding_mask(source_ids, self.config.pad_id, padding.source)  # (B, 1, 1, S)
        at, _ = padding.positions
        x = self.source_embedding(source_ids, tape / "source", segments=segments, at=at)
        return self.encoder(x, mask, tape / "encoder", at)  # (B, S, D)


class DecoderAlone(Transformer):
    """GPT (Radford et al. 2018): every position sees those before it and scores the next word."""

    def __init__(self, config: ModelConfig) -> None:
        nn.Module.__init__(self)
        self.config = config
        self.target_embedding = Embedding(config)
        self.decoder = Decoder(config)
        self._add_generator(self.target_embedding.table)

    def decode(
        self, source_ids: Tensor, target_ids: Tensor, tape: Tape = SILENT,
        segments: Tensor | None = None, padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """The pass up to the generator: ids (B, T) -> (B, T, D); there is no source."""
        mask = target_mask(target_ids, self.config.pad_id, padding.target)  # (B, 1, T, T)
        _, at = padding.positions
        x = self.target_embedding(target_ids, tape / "target", at=at)  # (B, T, D)
        return self.decoder(x, x, mask, mask, tape / "decoder", at=at)

    def encode(
        self, source_ids: Tensor, tape: Tape = SILENT, segments: Tensor | None = None,
        padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """No source, so nothing to remember: (B, 0, D)."""
        return self.target_embedding.table.weight.new_empty(len(source_ids), 0, self.config.d_model)

    def step(
        self, ids: Tensor, memory: Tensor, source_mask: Tensor, caches: Sequence[LayerCache],
        tape: Tape = SILENT,
    ) -> Tensor:  # fmt: skip
        """The new rows only, ids (B, new) -> logits (B, new, V); there is no memory."""
        start = caches[0].length
        mask = causal_mask(start + ids.size(-1), ids.device)[..., start:, :]  # (1, 1, new, T)
        x = self.target_embedding(ids, tape / "target", start)  # (B, new, D)
        x = self.decoder(x, x, mask, mask, tape / "decoder", caches)  # (B, new, D)
        return self.generator(x, tape / "output")


def model_of(config: ModelConfig) -> Transformer:
    """The model that a config says: both stacks, or one alone."""
    if config.has_both:
        return Transformer(config)
    return EncoderAlone(config) if config.encoder_layers else DecoderAlone(config)
