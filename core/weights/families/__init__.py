"""The families that can be opened: each file says how a kind of model differs, and its names."""
