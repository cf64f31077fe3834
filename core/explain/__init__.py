"""How a number came to be: one step (`steps`), one number (`provenance`), the code (`source`).

Of the other rooms it imports analysis, decoding, model and trace.
"""
