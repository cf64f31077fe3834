"""Where a number comes from: unfolded backwards, product by product, in the run's own numbers."""
