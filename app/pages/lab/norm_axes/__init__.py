"""Over which axes five norms take their mean."""
