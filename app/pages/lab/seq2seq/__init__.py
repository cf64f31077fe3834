"""An LSTM's gates word by word, and what its last state and attention still know."""
