"""Tools of research: each a function of runs that gives a small frozen result.

A metric is any function from a `Batch` to a number a text; see `core.analysis.metrics`.
"""
