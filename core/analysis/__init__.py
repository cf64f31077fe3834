"""What can be read off a trace: the numbers that screens show, each worked out in one place.

Of the other rooms it imports corpus, decoding, model, text and trace.
"""
