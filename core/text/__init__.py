"""From what people type to vocabulary pieces, and back to a sentence one can read.

It imports no other room.
"""

from core.text.detokenize import Decoded
from core.text.gazetteer import Filler
from core.text.tokenizer import Encoded, Tokenizer
from core.text.vocabulary import Vocabulary

__all__ = ["Decoded", "Encoded", "Filler", "Tokenizer", "Vocabulary"]
