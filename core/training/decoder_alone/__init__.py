"""A small GPT: documents of the grammar's English, byte pairs, the next piece, a model card.

Of the other rooms it imports weights, which write it in GPT-2's form, beside what training does.
"""
