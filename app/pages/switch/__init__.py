"""Switch it and see: what can be switched, what it did, and the experiment's own line."""
