"""The pieces of a sentence's tokens: known words, other forms of them, and copy slots for the rest.

Copy slots: what the vocabulary does not know travels through the model unread.

An unknown word becomes `<name1>`, `<noun1>` or `<num1>`; the model has learned to put the slot
where the translation belongs, and the detokenizer writes the word there. Unknown words side by
side share a slot, so that none is lost and none is torn from its neighbour.
"""

from collections.abc import Callable, Iterator

from glassformer.core.text.gazetteer import Filler, Gazetteer, name_in_english, titled_name
from glassformer.core.text.normalize import word_list
from glassformer.core.text.numbers import MONTHS, ORDINAL, WORDS, chinese_numeral, in_both, value_of
from glassformer.core.text.tokens import Token
from glassformer.core.text.vocabulary import KINDS, SLOTS_PER_KIND, UNKNOWN, Vocabulary

BRITISH: dict[str, str] = word_list("english")["british"]
SHORTEST = 3  # letters of a stem
# What looks like another form of a word, but means something else.
OTHERS = frozenset(
    "news goods pants shorts glasses woods evening forest ceiling wedding during king united "
    "species series bus gas yes this always sometimes perhaps customs arms thanks indeed "
    "hundred".split()
)
DETERMINERS = frozenset("a the this that these those my your his her our their its".split())
# After a noun in the plural; a name would be followed by "likes", "is", "has".
PLURAL_VERBS = frozenset(
    "are were have do don't aren't weren't haven't like love live need want eat".split()
)
GRADED = frozenset("very too so quite really more most as that".split())  # so short a video
LONGEST_NAME = 3  # English words of a gazetteer entry
LONGEST_RUN = 6  # unknown words that share a slot
LONGEST_NUMBER = 8  # words


def known_stem(word: str, known: Callable[[str], bool]) -> str:
    """The known form of an English word.

    Args:
        word: in lower case.
        known: whether the vocabulary has a word.

    Returns:
        The likeliest form that is known, another spelling or inflection; "" where there is none.
    """
    if word in OTHERS:
        return ""
    return next((form for form in _forms(word) if len(form) >= SHORTEST and known(form)), "")


def _forms(word: str) -> Iterator[str]:
    """Forms of which the word may be another one, the likeliest first."""
    yield from _spellings(word)
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith(("iest", "ier")):
        yield f"{word.rpartition('i')[0]}y"
    elif word.endswith("est"):
        yield from (word[:-3], word[:-2])
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base == word or len(base) < SHORTEST:
            continue
        yield from (f"{base}{other}" for other in ("ing", "ed") if other != ending)
        yield from (base, f"{base}e")
        if base[-1] == base[-2]:
            yield base[:-1]
        if ending == "ed" and base.endswith("i"):
            yield f"{base[:-1]}y"
    yield f"{word}s"


def _spellings(word: str) -> Iterator[str]:
    """British and American: "favorite" and "favourite", "organize" and "organise"."""
    for one, other in (("or", "our"), ("our", "or"), ("iz", "is"), ("is", "iz"), ("er", "re")):
        if one in word[2:]:
            yield word[:2] + word[2:].replace(one, other, 1)
    for ending in ("ed", "ing", "er"):
        if word.endswith(f"ll{ending}"):  # travelled
            yield word.removesuffix(ending)[:-1] + ending
    for ending in ("re", "res"):
        if word.endswith(ending):  # theatre, litres
            yield f"{word.removesuffix(ending)}er{ending[2:]}"
    if word in BRITISH:
        yield BRITISH[word]


class Slots:
    """Places the tokens of one sentence; `fillers` tells afterwards what the slots hold."""

    def __init__(self, vocabulary: Vocabulary, gazetteer: Gazetteer, language: str) -> None:
        self._vocabulary = vocabulary
        self._language = language
        own, other = gazetteer.english, gazetteer.chinese
        if language == "zh":
            own, other = other, own
        self._known, self._foreign, self._apart = own, other, gazetteer.apart
        self._counts: dict[str, int] = {}
        self._shouting = False
        self.fillers: dict[str, Filler] = {}

    def place(self, tokens: list[Token]) -> list[tuple[str, str]]:
        """The pieces of a sentence's tokens; several words of one name become one piece.

        Afterwards `fillers` tells what the copy slots hold.

        Args:
            tokens: of one sentence.

        Returns:
            (piece, surface) of each piece in order, surface being what was typed; `<unk>` where all
            slots are taken.
        """
        letters = "".join(token.surface for token in tokens if token.kind == "word")
        self._shouting = letters.isupper() and len(tokens) > 1
        placed: list[tuple[str, str]] = []
        position = 0
        while position < len(tokens):
            width, filler = self._filler(tokens, position)
            surface = " ".join(t.surface for t in tokens[position : position + width])
            piece = self._piece(tokens[position]) if filler is None else self._slot(filler)
            placed.append((piece, surface))
            position += width
        return placed

    def _filler(self, tokens: list[Token], position: int) -> tuple[int, Filler | None]:
        """How many tokens are one piece here, and what fills the slot; None for a known word."""
        token = tokens[position]
        found = self._listed(tokens, position) or self._number(tokens, position)
        if found:
            return found
        if self._language == "en" and (person := titled_name(tokens, position, self._reads)):
            return person
        if self._reads(token):
            return 1, None
        if token.kind in ("number", "name", "title"):
            return 1, self._literal(token, tokens[position - 1].word if position else "")
        return self._run(tokens, position)

    def _listed(self, tokens: list[Token], position: int) -> tuple[int, Filler] | None:
        """An entry of the gazetteer, in either language: "I live in 北京"."""
        for width in range(LONGEST_NAME, 0, -1):
            words = [t.word for t in tokens[position : position + width]]
            filler = self._known.get(" ".join(words)) or self._hyphened(tokens, position, width)
            if filler is None or len(words) < width:
                continue
            whole = (
                self._is_proper(tokens, position)
                if filler.kind == "name"
                else width > 1 and self._is_compound(tokens, position, filler)
            )
            if whole or not all(map(self._vocabulary.has_word, words)):
                return width, filler
        token = tokens[position]
        if token.kind == "odd" and token.word.lower() in self._foreign:
            return 1, self._foreign[token.word.lower()]
        return None

    def _hyphened(self, tokens: list[Token], position: int, width: int) -> Filler | None:
        """The entry "mother-in-law" for what was cut into three words."""
        typed = " ".join([token.surface for token in tokens[position : position + width]])
        return self._known.get(typed.lower().replace("- ", "-")) if "-" in typed else None

    def _is_compound(self, tokens: list[Token], position: int, filler: Filler) -> bool:
        """Whether known words side by side are one thing: "a yellow card", "the learning rate"."""
        before = tokens[position - 1].word if position else ""
        together = filler.english.lower() not in self._apart and before not in GRADED
        return together and self._language == "en"

    def _is_proper(self, tokens: list[Token], position: int) -> bool:
        """Whether a capital inside the sentence makes a common word a name: "I saw Rose"."""
        surface, word = tokens[position].surface, tokens[position].word
        capital = surface[:1].isupper() and self._language == "en" and not self._shouting
        inside = position > 0 and tokens[position - 1].kind != "mark"
        return capital and inside and word not in self._vocabulary.spelling

    def _number(self, tokens: list[Token], position: int) -> tuple[int, Filler] | None:
        """A number in several words of which the vocabulary lacks one: "two hundred"."""
        if self._language != "en" or tokens[position].word.partition("-")[0] not in WORDS:
            return None
        for width in range(LONGEST_NUMBER, 0, -1):
            run = tokens[position : position + width]
            words = [part for token in run for part in token.word.split("-")]
            value = value_of(words) if len(run) == width and words[-1] != "and" else None
            if value is not None and not all(self._vocabulary.has_word(t.word) for t in run):
                typed = " ".join(token.surface for token in run).lower()
                return width, Filler("num", typed, chinese_numeral(value))
        return None

    def _run(self, tokens: list[Token], position: int) -> tuple[int, Filler]:
        """Unknown words side by side, of one kind, as one filler."""
        kind = self._kind(tokens, position)
        end = position + 1
        while (
            end < min(len(tokens), position + LONGEST_RUN)
            and self._is_unknown(tokens, end)
            and self._kind(tokens, end) == kind
        ):
            end += 1
        return end - position, Filler.literal(
            kind, " ".join(token.surface for token in tokens[position:end])
        )

    def _is_unknown(self, tokens: list[Token], position: int) -> bool:
        token = tokens[position]
        plain = token.kind in ("word", "odd", "unknown") and not self._reads(token)
        return plain and not self._listed(tokens, position) and not self._number(tokens, position)

    def _reads(self, token: Token) -> bool:
        """Whether the model has a word for this token."""
        if token.kind == "mark":
            return True
        return token.kind == "word" and bool(
            self._vocabulary.has_word(token.word) or self._stem(token)
        )

    def _piece(self, token: Token) -> str:
        if token.kind == "mark" or self._vocabulary.has_word(token.word):
            return self._vocabulary.piece(token.word)
        return self._vocabulary.piece(self._stem(token))

    def _stem(self, token: Token) -> str:
        """Another form of the word that the vocabulary has; "" for none, and for names."""
        plain = self._language == "en" and (token.surface.islower() or self._shouting)
        return known_stem(token.word, self._vocabulary.has_word) if plain else ""

    def _kind(self, tokens: list[Token], position: int) -> str:
        """What an unknown word may be, from its capital and from its neighbours."""
        token = tokens[position]
        capital = token.kind == "word" and token.surface[:1].isupper() and self._language == "en"
        if not capital or self._shouting:
            return "noun"
        if position and tokens[position - 1].word in DETERMINERS:
            return "noun"
        after = tokens[position + 1].word if position + 1 < len(tokens) else ""
        first = position == 0 or tokens[position - 1].word in (".", "?", "!")
        plural = first and token.word.endswith("s") and after in PLURAL_VERBS
        return "noun" if plural else "name"

    def _literal(self, token: Token, before: str) -> Filler:
        """What a number or a name is in both languages; 年 and 号 may be words of their own."""
        if token.kind == "number":
            own = self._vocabulary.has_word("年" if before == "in" else "号")
            day = ORDINAL.fullmatch(token.surface) if before in MONTHS else None
            if own and day:
                return Filler("num", token.surface, day[1])
            return Filler("num", *in_both(token.surface, "" if own else before))
        if token.kind == "name" and (person := name_in_english(token.word)):
            return Filler("name", person, token.surface)
        return Filler.literal("name" if token.kind == "name" else "noun", token.surface)

    def _slot(self, filler: Filler) -> str:
        """The slot that holds this already, or the next free one of its kind, else of another."""
        for slot, held in self.fillers.items():
            if held == filler:
                return slot
        for kind in (filler.kind, *KINDS):
            number = self._counts.get(kind, 0) + 1
            if number <= SLOTS_PER_KIND:
                self._counts[kind] = number
                slot = f"<{kind}{number}>"
                self.fillers[slot] = filler
                return slot
        return UNKNOWN
