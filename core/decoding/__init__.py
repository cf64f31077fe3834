"""From the model's probabilities to a sentence, word by word; every step is kept.

Of the other rooms it imports model and trace.
"""
