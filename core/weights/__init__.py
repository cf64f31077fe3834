"""Other people's weights in our own blocks: a folder of theirs, opened; a model of ours, written.

One file a family in `families`: which config it is, and what its tensors are called.

Of the other rooms it imports decoding, model, text, text_models and trace.
"""
