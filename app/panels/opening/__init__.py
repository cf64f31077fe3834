"""Opening a file in the frame of every page, and what is said while one is on screen."""
