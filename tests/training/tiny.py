"""A training run small enough for a test."""

from glassformer.core.training.training_config import TrainingConfig

TINY = TrainingConfig(
    steps=40,
    batch_size=12,
    warmup=10,
    dropout=0.1,
    d_model=16,
    n_heads=2,
    encoder_layers=1,
    decoder_layers=1,
    d_ff=32,
    held_out=20,
)
