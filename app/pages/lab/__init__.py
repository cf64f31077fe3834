"""The Lab: its frame, its kit, and a folder for each bench."""
