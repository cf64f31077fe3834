"""Attention as a dictionary that answers with a mixture."""
