"""What one visitor, and all of them together, may ask of the server: every such bound stands here.

A bound that is a rule of its own is kept where it is enforced: of a text in `core.text.tokenizer`,
of a link in `codecs.py`, of switches in `core.interventions.experiment`, of a beam in
`core.decoding.beam`, of pairs to learn from, of trainings in `core.training.queue`, of what
is kept for visitors in `app/stores`.
"""

import os
import re

# What a session remembers.
MOST_EXPERIMENTS = 20  # kept under a name
MOST_PATCHED = 8
MOST_TEXTS = 4  # lists of texts that ran
MOST_OVER_TEXTS = 50  # texts of a list
MOST_DRAFTS = 40  # lectures of one's own; the browser keeps them
MOST_BUILT = 3  # names of untrained models in its menu

# Whose trainings and models they are: a cookie that the app's pages come with.
OWNER, OWNERS = "glassformer_owner", re.compile("[0-9a-f]{32}")

# Files.
UPLOAD_BYTES = 34 * 2**20  # of all files of a session until they are read
UPLOADS_BYTES = 256 * 2**20  # the same of all sessions; of a single file: .streamlit/config.toml

# Work that takes long, in seconds of processor time.
FREE_WORK = 0.5  # of one rerun, at once; what takes longer needs a place in the line
WORK_SLICE = 0.25  # so long one goes on while others wait
LONG_AT_ONCE = max(1, (os.cpu_count() or 1) - 1)  # a core stays for short reruns

# All visitors together.
CACHE_BYTES = 512 * 2**20  # all caches of the server: about 200 sentences
LIBRARY_BYTES = 4 * 2**30  # weights of the operator's models that are kept
PLACES = 1  # reruns that run at once: Python computes in one thread at a time
PATIENCE = 0.5  # seconds after which a rerun no longer holds up those behind it
