"""Files that come from outside: what kind each one is, and reading it without trusting it."""
