"""Training the translator on the grammar's sentences, and measuring what it has learned.

Of the other rooms it imports analysis, corpus, decoding, model, text, text_models
and trace.
"""
