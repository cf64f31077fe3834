"""From what people type to vocabulary pieces, and back to a sentence one can read.

It imports no other room.
"""
