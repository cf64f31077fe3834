"""Small computations that lectures compare with the Transformer's own.

Inputs may be as typed: `inputs.py` reads them, and raises `GlassformerError` with a key `lab_…` for
what is no number, outside of its bounds, too large, or does not fit the others.
Of the other rooms it imports model and trace.
"""
