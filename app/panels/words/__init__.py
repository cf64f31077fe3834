"""The words of source and output, joined by the weights between them."""
