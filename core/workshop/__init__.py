"""Training a small translator of one's own: its sentences, its process, and the line of those.

pairs → own_words → lessons: what it learns from. plan: what it shall do, as a file. work: the
process that does it. run_log: how it tells how far it is. run: that process as the app holds it.
desk: everybody's runs on one server.
"""
