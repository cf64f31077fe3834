"""§3 Model architecture: encoder, decoder, and what stands before and after them (Figure 1)."""

from collections.abc import Sequence

from torch import Tensor, nn

from glassformer.core.config import ModelConfig
from glassformer.core.model.cache import LayerCache
from glassformer.core.model.decoder import Decoder
from glassformer.core.model.embedding import Embedding
from glassformer.core.model.encoder import Encoder
from glassformer.core.model.generator import Generator
from glassformer.core.model.masks import NO_PADDING, Padding, causal_mask, padding_mask, target_mask
from glassformer.core.trace.tape import SILENT, Tape


class Transformer(nn.Module):
    """The encoder–decoder. It holds parameters and nothing else: a run writes only to its tape.

    Weights start Xavier-uniform (matrices) and zero (biases) from torch's global seed.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = Embedding(config, words=config.source_vocabulary_size)
        shared = self.source_embedding.table if config.share_embeddings else None
        self.target_embedding = Embedding(config, shared)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self._add_generator(self.target_embedding.table)

    def forward(
        self, source_ids: Tensor, target_ids: Tensor, tape: Tape = SILENT,
        segments: Tensor | None = None, padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """One teacher-forced pass: ids (B, S) and (B, T) -> logits (B, T, V).

        Row t of the logits scores the word that follows target_ids[:, : t + 1]. segments: which of
        two texts each word of the source belongs to, as `Embedding` takes it. padding: where texts
        are padded at the left, or with any id.
        """
        x = self.decode(source_ids, target_ids, tape, segments, padding)  # (B, T, D)
        logits: Tensor = self.generator(x, tape / "output")  # (B, T, V)
        return logits

    def decode(
        self, source_ids: Tensor, target_ids: Tensor, tape: Tape = SILENT,
        segments: Tensor | None = None, padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """The pass up to the generator: ids (B, S) and (B, T) -> (B, T, D)."""
        memory = self.encode(source_ids, tape, segments, padding)  # (B, S, D)
        source_mask = padding_mask(source_ids, self.config.pad_id, padding.source)  # (B, 1, 1, S)
        mask = target_mask(target_ids, self.config.pad_id, padding.target)  # (B, 1, T, T)
        _, at = padding.positions
        x = self.target_embedding(target_ids, tape / "target", at=at)  # (B, T, D)
        x = self.decoder(x, memory, mask, source_mask, tape / "decoder", at=at)
        return x  # (B, T, D)

    def encode(
        self, source_ids: Tensor, tape: Tape = SILENT, segments: Tensor | None = None,
        padding: Padding = NO_PADDING,
    ) -> Tensor:  # fmt: skip
        """Reads the source: ids (B, S) -> memory (B, S, D)."""
        mask = padding_mask(source_ids, self.config.pad_id, padding.source)  # (B, 1, 1, S)
        at, _ = padding.positions
        x = self.source_embedding(source_ids, tape / "source", segments=segments, at=at)
        memory = tape("memory", self.encoder(x, mask, tape / "encoder", at))  # (B, S, D)
        return memory  # (B, S, D)

    def step(
        self, ids: Tensor, memory: Tensor, source_mask: Tensor, caches: Sequence[LayerCache],
        tape: Tape = SILENT,
    ) -> Tensor:  # fmt: skip
        """The new target rows only, the earlier ones remembered in `caches` (one a layer).

        ids (B, new), memory (B, S, D), source_mask (B, 1, 1, S) -> logits (B, new, V). What the
        tape hears has the new rows; keys and values are those of all rows.
        """
        start = caches[0].length
        mask = causal_mask(start + ids.size(-1), ids.device)[..., start:, :]  # (1, 1, new, T)
        x = self.target_embedding(ids, tape / "target", start)  # (B, new, D)
        x = self.decoder(x, memory, mask, source_mask, tape / "decoder", caches)  # (B, new, D)
        logits: Tensor = self.generator(x, tape / "output")
        return logits  # (B, new, V)

    def new_caches(self) -> list[LayerCache]:
        """Empty caches for one decoding run."""
        return [LayerCache() for _ in range(self.config.decoder_layers)]

    def _add_generator(self, table: nn.Embedding) -> None:
        """The last part; then the weights start."""
        config = self.config
        tied = config.tie_generator or not config.has_generator
        self.generator = Generator(config, table if tied else None)
        self._start_weights()

    def _start_weights(self) -> None:
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
