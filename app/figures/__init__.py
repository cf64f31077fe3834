"""Pure figures: numbers and labels in, a plotly Figure out."""
