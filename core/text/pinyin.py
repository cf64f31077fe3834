"""Chinese names in Latin letters: 王芳 is Wang Fang. Characters of common names only."""

from __future__ import annotations

from core.text.people import NAMES, SURNAMES, person_in_english

GIVEN = {
    character: sound
    for line in NAMES["given"]
    for sound, characters in (pair.split("=") for pair in line.split())
    for character in characters
}


def name_in_english(name: str) -> str:
    """From 王小红 "Wang Xiaohong", from 李老师 "Teacher Li"; "" where a sound is not known."""
    if person := person_in_english(name):
        return person
    surname, given = name[:1], name[1:]
    if surname not in SURNAMES or not given or any(c not in GIVEN for c in given):
        return ""
    return f"{SURNAMES[surname]} {''.join(GIVEN[c] for c in given).capitalize()}"
