"""The words of the sentence in another order, with positions and without."""
