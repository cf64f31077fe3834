"""Text in Latin letters that is not English: recognised by its small words."""

from __future__ import annotations

import re
from collections.abc import Callable

LETTERS = re.compile(r"[^\W\d_]+")
# English that looks like small words of another language: "it's", "a.m.", "100 m".
ENGLISH_ONLY = re.compile(
    r"(?<=\w)'(?:s|m|re|ve|ll|d|t)\b|\b[ap]\.m\.|(?<=\d) ?[a-z]{1,2}\b", re.IGNORECASE
)
# The commonest words of a language, without those that are English words too.
SMALL_WORDS = {
    "français": "je j tu il elle nous vous ils elles le la les un une des du de d et est suis es "
    "sommes êtes sont ai as avons avez ont pas ne n que qu qui quoi dans pour avec sur mon ma mes "
    "ton ta tes sa ses notre votre aux ce cette ces mais où très bien oui merci bonjour salut "
    "comment ça c l aime t s m y moi toi fait être avoir aujourd hui aussi chat chien",
    "Deutsch": "ich du er sie wir ihr der das den dem des ein eine einen einem einer und ist bin "
    "bist sind seid habe hast hat haben nicht kein keine mit für auf zu zum zur von vom im aus bei "
    "nach auch aber oder wenn weil dass wie wo wer mein meine dein deine sein ihre danke bitte "
    "guten tag morgen heute sehr gut liebe dich mich mir dir es geht ja nein wird werden",
    "español": "yo tú él ella nosotros ellos el los las un una unos unas de del y es soy eres "
    "somos son está estoy estás están que qué quién en con por para mi mis tu tus su sus pero muy "
    "bien sí gracias hola cómo dónde te quiero tengo tiene hay porque también gusta",
    "italiano": "io tu lui lei noi voi loro il lo gli uno una di del della e è sono sei siamo "
    "siete che chi con per mio mia tuo tua ma molto bene sì grazie ciao come dove ti amo ho hai ha "
    "abbiamo perché anche non questo questa",
    "português": "eu você ele ela nós eles um uma uns umas de do da dos das e é sou és somos são "
    "que quem em com por para meu minha seu sua mas muito bem sim não obrigado olá como onde te "
    "amo tenho tem porque também gosto",
}
LANGUAGES = {name: frozenset(words.split()) for name, words in SMALL_WORDS.items()}
ENOUGH = 0.4  # of all words


def foreign_language(text: str, known: Callable[[str], bool]) -> str:
    """The language a text is written in, by its own name; "" for English and for what none fits.

    `known` says which words are English: most of a text that has them is not foreign.
    """
    words = [word.lower() for word in LETTERS.findall(ENGLISH_ONLY.sub("", text))]
    if not words:
        return ""
    hits = {
        name: sum(1 for word in words if word in small and not known(word))
        for name, small in LANGUAGES.items()
    }
    best = max(hits, key=lambda name: hits[name])
    english = sum(map(known, words))
    enough = hits[best] >= max(ENOUGH * len(words), english)
    return best if enough and (hits[best] > 1 or len(words) == 1) else ""
