"""What one visitor, and all of them together, may ask of the server: every such bound stands here.

A bound that is a rule of its own, such as the longest sentence of a model, is kept where it is
enforced; it is named here, so that this is the whole table.
"""

from __future__ import annotations

import os

from app import codecs
from core.decoding import beam
from core.edits import experiment
from core.text import tokenizer
from core.workshop import desk, pairs, work

# A text, and a link.
LONGEST_TEXT = tokenizer.LONGEST_TEXT  # characters
MOST_SENTENCES = tokenizer.MOST_SENTENCES
PIECES_OF_A_SENTENCE = tokenizer.LIMIT
PIECES_OF_A_TEXT = tokenizer.MOST_PIECES
MAX_LINK_TEXT = codecs.MAX_LINK_TEXT  # characters of one value
MOST_SWITCHES = experiment.MOST_SWITCHES
WIDEST_BEAM = beam.WIDEST

# What a session remembers.
MOST_EXPERIMENTS = 20  # kept under a name
MOST_SWEEPS = 8

# Files.
UPLOAD_BYTES = 34 * 2**20  # of all files of a session until they are read
UPLOADS_BYTES = 256 * 2**20  # the same of all sessions; of a single file: .streamlit/config.toml
PAIR_FILE_BYTES = pairs.MOST_BYTES
PAIR_FILE_LINES = pairs.MOST_LINES
MOST_PAIRS = pairs.MOST
SIDE_OF_A_PAIR = pairs.LONGEST_SIDE  # characters

# Trainings.
MOST_WORKSHOPS = desk.MOST_USERS  # visitors who train, one run each
KEPT_MODELS = desk.MOST_KEPT  # of one visitor
KEPT_MODELS_BYTES = desk.MOST_KEPT_BYTES  # of all visitors
SECONDS_OF_A_TRAINING = work.LONGEST

# Work that takes long, in seconds of processor time.
FREE_WORK = 0.5  # of one rerun, at once; what takes longer needs a place in the line
WORK_SLICE = 0.25  # so long one goes on while others wait
LONG_AT_ONCE = max(1, (os.cpu_count() or 1) - 1)  # a core stays for short reruns

# All visitors together.
CACHE_BYTES = 512 * 2**20  # all caches of the server: about 200 sentences
PLACES = 1  # reruns that run at once: Python computes in one thread at a time
PATIENCE = 0.5  # seconds after which a rerun no longer holds up those behind it
