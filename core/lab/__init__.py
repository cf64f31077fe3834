"""Small computations that lectures compare with the Transformer's own."""
