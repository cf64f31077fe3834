"""One row of attention as a movement: its numbers go from q to what the attention hands on."""
