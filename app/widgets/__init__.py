"""Pickers and components; each component lives in a folder with its .html, .css and .js files."""
