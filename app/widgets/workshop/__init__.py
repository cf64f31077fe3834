"""The workshop: train a small translator here and watch it learn."""
