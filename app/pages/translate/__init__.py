"""The panels of the Translate page."""
