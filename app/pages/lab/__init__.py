"""The Lab: its frame, its kit, and a module for each bench."""
