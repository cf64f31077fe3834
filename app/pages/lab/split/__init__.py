"""Sizes above, the regrouping into heads below."""
