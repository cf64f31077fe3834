"""Models with their words: text in, trace out; their folders, how they were trained.

Of the other rooms it imports analysis, decoding, model, text and trace.
"""
