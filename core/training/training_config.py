"""What a training run is made of, as one value that is stored beside the weights."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from glassformer.core.config import ModelConfig, NormPlace
from glassformer.core.errors import GlassformerError

# The bundled models: how their recipes differ from the plain one. The app opens with the first,
# whose named heads show what the lecture is about; the second was left to itself.
BUNDLED: dict[str, dict[str, Any]] = {
    "translator": {"teach_alignment": 0.1, "teach_antecedent": 0.1},
    "translator-plain": {},
}


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Size of the model and course of its training (§5 of the paper, in small).

    `learning_rate` scales the paper's schedule; the rate rises over `warmup` steps, falls with
    the inverse square root, and goes linearly to zero in the last `decay` share of the steps.
    `muon`, `adam_rate` (Adam's rate beside it), `weight_decay` and `logit_cap`, which keep
    attention from saturating: see `core.training.optimiser`. `teach_alignment` and
    `teach_antecedent` weigh the two losses of `core.training.loss`; 0 leaves the heads of the last
    encoder layer and of the last decoder layer, or of all decoder layers, to themselves.
    """

    steps: int = 19000
    seed: int = 1
    batch_size: int = 192  # sentences
    warmup: int = 400
    decay: float = 0.4
    learning_rate: float = 1.0
    muon: bool = True  # for the layers' matrices; else Adam for all
    adam_rate: float = 2.0
    weight_decay: float = 0.3  # of the layers' matrices, a step: × (1 − 0.3 · rate); 0 for none
    logit_cap: float = 5.0  # on absolute scaled scores; 0 for none
    cap_every: int = 5  # steps
    label_smoothing: float = 0.02
    dropout: float = 0.0  # every sentence is fresh, there is nothing to learn by heart
    d_model: int = 112
    n_heads: int = 4
    encoder_layers: int = 2
    decoder_layers: int = 2
    d_ff: int = 448
    norm_place: NormPlace = "post"
    teach_alignment: float = 0.0
    alignment_head: int | None = 0  # None: the mean of the layer's heads
    alignment_layers: Literal["last", "all"] = "last"  # of the decoder
    teach_antecedent: float = 0.0
    antecedent_head: int = 0
    entropy_weight: float = 0.0  # of the attention entropy, a price for blurred maps
    head_dropout: float = 0.0  # share of heads silenced in each sentence while training
    held_out: int = 3000  # pairs of the test set

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "warmup", "cap_every"):
            if getattr(self, name) < 1:
                problem = f"{name} is {getattr(self, name)}; it must be at least 1"
                raise GlassformerError("training", problem=problem)

    def config(self, vocabulary_size: int) -> ModelConfig:
        """The paper's model in small, with one embedding table for all three uses (§3.4).

        Args:
            vocabulary_size: V.

        Returns:
            The config of the model.

        Raises:
            GlassformerError: `config`, for sizes that cannot be built.
        """
        return ModelConfig(
            vocabulary_size=vocabulary_size,
            d_model=self.d_model,
            n_heads=self.n_heads,
            encoder_layers=self.encoder_layers,
            decoder_layers=self.decoder_layers,
            d_ff=self.d_ff,
            dropout=self.dropout,
            norm_place=self.norm_place,
            final_norm=self.norm_place == "pre",
            share_embeddings=True,
            tie_generator=True,
        )

    @property
    def teaches(self) -> bool:
        """Whether any head is told where to look."""
        return self.teach_alignment > 0 or self.teach_antecedent > 0

    def taught(self) -> dict[str, Any]:
        """The taught heads, for config.json: address of the weights, and head or None."""
        found: dict[str, Any] = {}
        if self.teach_alignment > 0:
            found["alignment"] = {"address": self.alignment_sites[-1], "head": self.alignment_head}
        if self.teach_antecedent > 0:
            found["antecedent"] = {"address": self.antecedent_site, "head": self.antecedent_head}
        return found

    @property
    def alignment_sites(self) -> tuple[str, ...]:
        """Addresses of the cross-attention that is taught, the last layer's last."""
        first = 0 if self.alignment_layers == "all" else self.decoder_layers - 1
        layers = range(first, self.decoder_layers)
        return tuple(f"decoder/{layer}/cross_attention/weights" for layer in layers)

    @property
    def antecedent_site(self) -> str:
        """Address of the encoder's self-attention that is taught."""
        return f"encoder/{self.encoder_layers - 1}/self_attention/weights"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def resumed(self, stored: dict[str, Any]) -> Self:
        """The stored recipe with this one's number of steps; anything else may not change.

        Args:
            stored: what `to_dict` gave.

        Returns:
            The recipe to go on with.

        Raises:
            GlassformerError: `training`, for numbers that cannot be.
            TypeError: for a field that recipes do not have.
        """
        return type(self)(**{**stored, "steps": self.steps})
