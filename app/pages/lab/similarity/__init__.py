"""The dot product against the distance."""
