"""The figures of this page: numbers in, a figure out."""
