"""The panels of the Vectors page: a module a question."""
