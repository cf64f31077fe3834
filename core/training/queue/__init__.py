"""Training a small translator of one's own: its sentences, its process, and the line of those.

pairs → lessons: what it learns from. run_files: what it shall do, and how far it is, as files.
worker: the process that does it. run: that process as the app holds it.
training_queue: everybody's runs on one server.
"""
