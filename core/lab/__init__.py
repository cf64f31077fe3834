"""Small computations that lectures compare with the Transformer's own.

Of the other rooms it imports model and trace.
"""
