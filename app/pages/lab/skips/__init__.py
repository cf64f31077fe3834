"""The residual stream with a way around every sub-layer, and each one's share in it."""
