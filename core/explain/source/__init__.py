"""The lines of the model that ran at a step, with the numbers they had."""
