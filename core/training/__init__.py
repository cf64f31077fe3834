"""Training the translator on the grammar's sentences, and measuring what it has learned."""
