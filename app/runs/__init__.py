"""Runs and models, made once for all sessions within one budget; work that takes long.

Of the other rooms it imports session, stores, words and core.
"""
