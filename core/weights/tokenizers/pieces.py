"""Pieces as people can read them: what a vocabulary writes for spaces and bytes, made visible."""

import unicodedata
from collections.abc import Iterable

SPACE, LINE, TAB = "␣", "⏎", "⇥"
SIGNS = {" ": SPACE, "\n": LINE, "\t": TAB, "\r": LINE}


def _bytes_of_letters() -> dict[str, int]:
    """The 256 letters that stand for bytes in byte-level vocabularies (Radford et al. 2019).

    Printable ones stand for themselves, the others for letters from 256 on, in order.
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): byte for byte in printable}
    return letters | {chr(256 + place): byte for place, byte in enumerate(others)}


BYTES = _bytes_of_letters()


def readable_piece(piece: str, byte_level: bool) -> str:
    """One piece as a person reads it: ␣ for a space, ⟨E4⟩ for a byte that is no letter alone.

    Neither is a control character, nor one that only joins, breaks or turns others: ⟨07⟩, ⟨C2⟩⟨AD⟩.

    Args:
        piece: as the vocabulary writes it.
        byte_level: whether its letters stand for bytes (Radford et al. 2019).

    Returns:
        What is shown; "" for an empty piece.
    """
    if byte_level and piece and all(letter in BYTES for letter in piece):
        found = bytes(BYTES[letter] for letter in piece)
        text = "".join(_letters(found))
    elif len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        text = f"⟨{piece[3:5]}⟩"
    else:
        text = piece.replace("▁", " ")
    return text.replace(" ", SPACE) if text.isprintable() else "".join(map(_seen, text))


def _seen(letter: str) -> str:
    """A character of a piece; its bytes where nobody would see it."""
    if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in SIGNS:
        return "".join(f"⟨{byte:02X}⟩" for byte in letter.encode(errors="surrogatepass"))
    return SIGNS.get(letter, letter)


def _letters(found: bytes) -> Iterable[str]:
    """The characters that bytes spell, and the bytes that spell none."""
    at = 0
    while at < len(found):
        for size in (1, 2, 3, 4):
            try:
                yield found[at : at + size].decode()
            except UnicodeDecodeError:
                continue
            at += size
            break
        else:
            yield f"⟨{found[at]:02X}⟩"
            at += 1
