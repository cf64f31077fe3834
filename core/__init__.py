"""Glassformer's core: a Transformer that records everything it does. No screen in here."""
