"""A run in the order of computation: its steps, their wires, formulas, numbers and code."""
