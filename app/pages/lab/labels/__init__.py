"""Softmax for one label against a sigmoid for each of several."""
