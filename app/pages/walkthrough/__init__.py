"""The panels of the Walkthrough: the strip of steps, what goes in and comes out, and why."""
