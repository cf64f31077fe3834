"""Contractions taken apart: "I'd better" is "I had better", "dont" is "don't"."""

from __future__ import annotations

from collections.abc import Callable

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
BARE = {
    "dont": "don't",
    "didnt": "didn't",
    "doesnt": "doesn't",
    "isnt": "isn't",
    "arent": "aren't",
    "wasnt": "wasn't",
    "werent": "weren't",
    "hasnt": "hasn't",
    "havent": "haven't",
    "hadnt": "hadn't",
    "wouldnt": "wouldn't",
    "couldnt": "couldn't",
    "shouldnt": "shouldn't",
    "cant": "can't",
    "wont": "won't",
    "cannot": "can't",
    "shan't": "won't",
    "ain't": "isn't",
    "'cause": "because",
    "cuz": "because",
    "coz": "because",
    "'em": "them",
    "y'all": "you",
    "ya": "you",
    "ur": "your",
    "yeah": "yes",
    "yep": "yes",
    "yup": "yes",
    "nope": "no",
    "nah": "no",
    "thru": "through",
    "mustnt": "mustn't",
    "neednt": "needn't",
    "'til": "until",
    "an": "a",
    "ok": "okay",
    "u": "you",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
}
# Two words written as one: how many letters are the first, and what the two are.
FUSED = {
    "im": (1, "i", "am"),
    "ive": (1, "i", "have"),
    "youre": (3, "you", "are"),
    "theyre": (4, "they", "are"),
    "youve": (3, "you", "have"),
    "theyve": (4, "they", "have"),
    "thats": (4, "that", "is"),
    "whats": (4, "what", "is"),
    "whos": (3, "who", "is"),
    "theres": (5, "there", "is"),
    "hes": (2, "he", "is"),
    "shes": (3, "she", "is"),
    "wheres": (5, "where", "is"),
    "heres": (4, "here", "is"),
    "hows": (3, "how", "is"),
    "itll": (2, "it", "will"),
    "youll": (3, "you", "will"),
    "theyll": (4, "they", "will"),
    "couldve": (5, "could", "have"),
    "wouldve": (5, "would", "have"),
    "shouldve": (6, "should", "have"),
    "dunno": (2, "don't", "know"),
    "kinda": (4, "a", "little"),
    "outta": (3, "out", "of"),
    "gonna": (3, "going", "to"),
    "wanna": (3, "want", "to"),
    "gotta": (3, "have", "to"),
    "gimme": (3, "give", "me"),
    "lemme": (3, "let", "me"),
    "alot": (1, "a", "lot"),
}


def expanded(surface: str, following: str, known: Callable[[str], bool]) -> list[tuple[str, str]]:
    """(surface, word) of each part of a word as typed; `following` is the word after it.

    A contraction that the vocabulary has is one word. The surfaces joined are what was typed.
    """
    word = surface.lower()
    word = BARE.get(word, word)
    if known(word):
        return [(surface, word)]
    if word in FUSED or (word == "lets" and following):
        cut, first, second = FUSED.get(word, (3, "let", "us"))
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
