"""An RNN, convolutions and attention on the same words, beside the paper's Table 1."""
