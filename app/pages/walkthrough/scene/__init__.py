"""Before, operation, after: the tensors of a step as pictures that belong together."""
