"""The figures of this panel: numbers in, a figure out."""
