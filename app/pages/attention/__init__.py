"""The panels of the attention page: all heads, one head large, one cell spelled out."""
