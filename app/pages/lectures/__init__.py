"""The Lectures page: bundled lectures and the reader's own, to order, edit, try and present."""
