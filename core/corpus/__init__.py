"""A bilingual grammar: English and Chinese sentences made together, with their alignment.

The grammar is data (`data/*.toml`): word lists and sentence patterns. The engine here draws a
pattern, fills it, and writes both sides, so the translation, the word alignment and what each
pronoun stands for are known by construction.

Of the other rooms it imports text.
"""

from glassformer.core.corpus.draw import DIRECTIONS, Direction, Pair
from glassformer.core.corpus.grammar import Grammar, load_grammar
from glassformer.core.corpus.split import HeldOut, draw_pair, held_out_pairs, training_pairs

__all__ = [
    "DIRECTIONS",
    "Direction",
    "Grammar",
    "HeldOut",
    "Pair",
    "draw_pair",
    "held_out_pairs",
    "load_grammar",
    "training_pairs",
]
