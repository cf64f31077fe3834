"""Splitting typed English: words, contractions taken apart, numbers, marks, and the rest.

"I'd better" is "I had better", "dont" is "don't", "at 7" is "at seven", "pretty good" is "quite
good".
"""

import re
from collections.abc import Callable, Iterator

from glassformer.core.text.normalize import HAN, word_list
from glassformer.core.text.numbers import CLOCK, MONEY, ORDINAL, SMALL
from glassformer.core.text.tokens import Token, reword_tokens, single_marks, without_faces

CLITICS = {"'m": "am", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would"}
IS_HOSTS = frozenset(
    "it he she that this what where who there here how when why everything something nothing "
    "everyone someone nobody".split()
)
# "Tom's a doctor", "Tom's sleeping": what follows a possessive is a noun.
AFTER_IS = frozenset("a an the not my your his her our their very too so here there at in".split())
AFTER_HAS = frozenset("been got had seen eaten forgotten lived known taken given written".split())
AFTER_HAD = frozenset("better been had gone seen known eaten done left forgotten lost".split())
LONGEST_STEM = 2  # of a word in -ing that is no verb form: "ring", "king"
# Written without the apostrophe, or wrongly: one word for one.
BARE: dict[str, str] = word_list("english")["bare"]
# Two words written as one: how many letters are the first, and what the two are.
FUSED = {
    typed.replace("-", ""): (typed.index("-"), two)
    for typed, two in word_list("english")["fused"].items()
}
BEFORE_HOUR = frozenset("at around until till".split())
# What may follow an hour: "at 7 in the morning", but "at 7 hotels".
AFTER_HOUR = frozenset(
    "in on to every today tonight tomorrow yesterday this next and or but so because sharp".split()
)
BE = frozenset("am is are was were isn't aren't wasn't weren't feel feels looks look it's".split())
# What follows "pretty" where it says how much; and where it says how somebody looks.
MEASURED = frozenset("good bad well much often fast soon hard late early".split())
NOT_MEASURED = frozenset(
    "and but or so because in on at to for when with today now too as than".split()
)
END = Token(".", ".", "mark")
MARKS = {".": ".", ",": ",", "?": "?", "!": "!", ";": ",", ":": ",", "-": ","}
MARKS |= dict.fromkeys("()[]", ",")
LATIN = rf"(?:(?![{HAN}])[^\W_])"
PIECE = re.compile(
    rf"(?P<number>\d+(?:[.,:]\d+)*%?(?!{LATIN}))"
    rf"|(?P<word>{LATIN}+(?:['\-]{LATIN}+)*(?:(?<=s)'(?=$|[.,?!;:]))?)"
    rf"|(?P<han>[{HAN}]+)"
    r"|(?P<mark>[.,?!;:()\[\]])"
)
ORDINARY = re.compile(rf"[\w'\-.,?!;:\"()\[\]%{HAN}]+")  # else the chunk is one odd word
ADDRESS = re.compile(
    rf"https?://[^\s{HAN}]+|www\.[^\s{HAN}]+|[\w.+\-]+@[\w.\-]+\.\w+|"
    r"[\w\-]+(?:\.[\w\-]+)*"
    rf"\.(?:com|org|net|edu|gov|io|ai|cn|uk|de|fr|txt|pdf|py|csv|md|html)\b(?:/[^\s{HAN}]*)?",
    re.ASCII,
)
ENTITY = re.compile(r"&#?\w+;$")
# Signs that are pictures; a heart may carry a selector, which the normaliser has taken off.
PICTURE = re.compile("([\u2600-\u27bf\u2b50-\u2b55\U0001f000-\U0001faff]+)")
ABBREVIATED = re.compile(r"(?:mr|mrs|ms|dr|prof|etc|vs)\.", re.IGNORECASE)
INITIALS = re.compile(r"(?:[A-Za-z]\.){2,}|[A-HJ-Z]\.(?= )")  # U.S., e.g., J. Smith
APART = ("only", "very")  # behind "not": "is not only kind but …"


def expand_word(
    surface: str, following: str, known: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """The parts of an English word as typed: contractions are taken apart.

    A contraction that the vocabulary has is one word. The surfaces joined are what was typed.

    Args:
        surface: the word as typed.
        following: the word after it in lower case, "" at the end.
        known: whether the vocabulary has a word.

    Returns:
        (surface, word) of each part.
    """
    word = surface.lower()
    word = BARE.get(word, word)
    if known(word):
        return [(surface, word)]
    if word in FUSED or (word == "lets" and following):
        cut, two = FUSED.get(word, (3, "let us"))
        first, second = two.split()
        if known(f"{first}'s") and second == "us":
            return [(surface, "let's")]
        return [(surface[:cut], first), (surface[cut:], second)]
    if surface.endswith("s'"):  # my parents' house
        return [(surface[:-1], word[:-1]), ("'", "'s")]
    host, apostrophe, _ = surface.rpartition("'")
    clitic = word[len(host) :] if apostrophe and host else ""
    if clitic == "'t" and host.lower().endswith("n") and known("not"):
        return [(host[:-1], host[:-1].lower()), (surface[len(host) - 1 :], "not")]
    meaning = _meaning(host.lower(), clitic, following)
    if not meaning:
        return [(surface, word)]
    return [(host, host.lower()), (surface[len(host) :], meaning)]


def _meaning(host: str, clitic: str, following: str) -> str:
    """What a clitic stands for: "is", "has", "had", "us", the possessive "'s"; "" for none."""
    if clitic == "'d":
        return "had" if following in AFTER_HAD else "would"
    if clitic != "'s":
        return CLITICS.get(clitic, "")
    if host == "let":
        return "us"
    if following in AFTER_HAS:
        return "has"
    sleeping = following.endswith("ing") and len(following) - 3 > LONGEST_STEM
    return "is" if host in IS_HOSTS or following in AFTER_IS or sleeping else "'s"


def read_hours(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """The hours of the clock as words: "at 7" is read "at seven", "7 o'clock" "seven o'clock".

    Args:
        tokens: of a sentence.
        known: whether the vocabulary has a word.

    Returns:
        As many tokens; what is no hour, or has no known word, stays.
    """
    read: list[Token] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1].word if place else ""
        after = tokens[place + 1] if place + 1 < len(tokens) else END
        free = before in BEFORE_HOUR and (after.kind == "mark" or after.word in AFTER_HOUR)
        word = _hour(token) if free or after.word == "o'clock" else ""
        read.append(Token(token.surface, word) if word and known(word) else token)
    return read


def _hour(token: Token) -> str:
    """From the token 7 "seven"; "" for what is no hour of the clock."""
    value = int(token.word) if token.kind == "number" and token.word.isdigit() else 0
    return SMALL[value] if 1 <= value <= 12 else ""


def read_degrees(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """How "pretty good" is read: "quite good"; a girl who is pretty stays so.

    Args:
        tokens: of a sentence.
        known: whether the vocabulary has a word.

    Returns:
        As many tokens; nothing changes where "quite" is not known.
    """
    read: list[Token] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1].word if place else ""
        after = tokens[place + 1] if place + 1 < len(tokens) else END
        said_of = before in BE and after.kind == "word" and after.word not in NOT_MEASURED
        degree = token.word == "pretty" and (after.word in MEASURED or said_of)
        read.append(Token(token.surface, "quite") if degree and known("quite") else token)
    return read


def split_english(text: str, known: Callable[[str], bool]) -> list[Token]:
    """Tokens of normalised English text.

    Args:
        text: normalised.
        known: whether the vocabulary has a word.

    Returns:
        The tokens; marks as marks, words in lower case beside what was typed.
    """
    chunks = [part for chunk in text.split(" ") for part in PICTURE.split(chunk) if part]
    tokens: list[Token] = []
    for place, chunk in enumerate(chunks):
        following = chunks[place + 1] if place + 1 < len(chunks) else ""
        tokens.extend(_chunk(chunk, following.lower().strip(".,?!;:\"'()"), known))
    tokens = _joined(reword_tokens(tokens, "en", known), known)
    joined = read_degrees(read_hours(tokens, known), known)
    return without_faces(single_marks(joined))


def _chunk(chunk: str, following: str, known: Callable[[str], bool]) -> Iterator[Token]:
    if chunk in ("-", "--"):
        yield Token(chunk, ",", "mark")
        return
    bare = chunk.strip("\"'()[].,?!;:")
    if ABBREVIATED.fullmatch(chunk):
        yield Token(chunk, chunk.lower().rstrip("."))
    elif INITIALS.match(f"{chunk} {following}".rstrip()) and chunk[-1] == ".":
        yield Token(chunk, chunk.lower())
    elif ADDRESS.fullmatch(bare) or MONEY.fullmatch(bare) or not ORDINARY.fullmatch(chunk):
        yield from _whole(chunk, bare if ADDRESS.fullmatch(bare) else chunk)
    elif ORDINAL.fullmatch(bare) or CLOCK.fullmatch(bare):
        yield from _whole(chunk, bare)
    else:
        for match in PIECE.finditer(chunk):
            yield from _token(match, following, known)


def _whole(chunk: str, core: str) -> Iterator[Token]:
    """A chunk that stays in one piece, and the marks behind it."""
    core = core if ENTITY.search(core) else core.rstrip(".,?!;:")
    if any(character.isalnum() for character in core) or not core.isascii():
        numeric = any(shape.fullmatch(core) for shape in (ORDINAL, CLOCK, MONEY))
        yield Token(core, core, "number" if numeric else "odd")
    for mark in chunk[chunk.index(core) + len(core) :]:
        if mark in MARKS:
            yield Token(mark, MARKS[mark], "mark")


def _token(match: re.Match[str], following: str, known: Callable[[str], bool]) -> Iterator[Token]:
    surface, kind = match[0], match.lastgroup or "word"
    if kind == "mark":
        yield Token(surface, MARKS[surface], "mark")
    elif kind in ("number", "han"):
        yield Token(surface, surface, "number" if kind == "number" else "odd")
    else:
        parts = expand_word(surface, following, known)
        if len(parts) == 1 and "-" in surface and not known(parts[0][1]):
            parts = _parts_of_compound(surface, known)
        yield from (Token(typed, word) for typed, word in parts)


def _parts_of_compound(surface: str, known: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Typed "ice-cream" as two words where the vocabulary has both; else as it is."""
    words = surface.lower().split("-")
    if not all(map(known, words)):
        return [(surface, surface.lower())]
    typed = re.findall(r"[^\-]+-?", surface)
    return list(zip(typed, words, strict=True))


def _joined(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """One word of the vocabulary, "didn't", where "did not" was typed; "3 pm" is one time."""
    joined: list[Token] = []
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        last = joined[-1] if joined else None
        apart = following is not None and following.word in APART
        negatable = last and last.kind == "word" and token.word == "not" and not apart
        negated = _negation(last.word, known) if last and negatable else ""
        if last and negated:
            joined[-1] = Token(f"{last.surface} {token.surface}", negated)
        elif last and last.kind == "number" and CLOCK.fullmatch(f"{last.surface} {token.surface}"):
            surface = f"{last.surface} {token.surface}"
            joined[-1] = Token(surface, surface, "number")
        else:
            joined.append(token)
    return joined


def _negation(word: str, known: Callable[[str], bool]) -> str:
    """The word for "… not": "can't" for "can"; "" for a word that has none."""
    negated = {"can": "can't", "will": "won't"}.get(word, f"{word}n't")
    return negated if known(negated) else ""
