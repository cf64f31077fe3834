"""The panels of the Training page: how the model came to be what it is."""
