"""The components of the Vectors page."""
