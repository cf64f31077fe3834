"""The Transformer of "Attention Is All You Need", one file a section.

Glossary of shapes, used in every comment at a line's end:
B batch · S source length · T target (or query) length · H heads · D d_model · K d_k = D / H ·
F d_ff · V vocabulary.

Of the other rooms it imports trace.
"""
