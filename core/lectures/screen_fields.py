"""Reading which screen a scene shows: its link, what a step changes in it, what of it is shown."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from glassformer.core.lectures.fields import Reader, read_table, text_field
from glassformer.core.lectures.lecture import Link, Text
from glassformer.core.lectures.lines import Path
from glassformer.core.lectures.links import MOST, PACKED, unpack_query

LONGEST_LINK = 8000
MOST_FOCUS = 2  # boxes that share the stage
PAGE = re.compile(r"[a-z]{0,30}")
BOX = re.compile(r"[a-z][a-z0-9_]{0,59}")
THE_READERS = ("language", "theme", "size", "mine")  # of a link: whoever looks has their own


def read_link(reader: Reader, path: Path, given: Any) -> dict[str, Link]:
    """The links of a scene.

    Args:
        reader: refuses with the line.
        path: of the field.
        given: what stands there, a link or one in each language.

    Returns:
        The links by language; a single one under "".

    Raises:
        GlassformerError: `lecture_link`, and what a text in every language raises.
    """
    if not isinstance(given, dict):
        return {"": _one_link(reader, path, given)}
    texts = text_field(LONGEST_LINK)(reader, path, given)
    return {
        language: _one_link(reader, (*path, language), each) for language, each in texts.items()
    }


def _one_link(reader: Reader, path: Path, given: Any) -> Link:
    """Page and query of a link as it was copied, with or without the server's address."""
    if not isinstance(given, str) or len(given) > LONGEST_LINK:
        reader.refuse("lecture_link", path, given=str(given)[:60])
    try:
        parts = urlsplit(given.strip())
        query = unpack_query(
            dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MOST))
        )
    except ValueError:
        reader.refuse("lecture_link", path, given=given[:60])
    page = parts.path.rstrip("/").rpartition("/")[2]
    if not PAGE.fullmatch(page) or PACKED in query or any("\0" in each for each in query.values()):
        reader.refuse("lecture_link", path, given=given[:60])
    kept = {name: each for name, each in query.items() if name not in THE_READERS}
    return "" if page == "translate" else page, kept


def read_changes(reader: Reader, path: Path, given: Any) -> dict[str, Text]:
    """What a step changes in the link of its scene.

    Args:
        reader: refuses with the line.
        path: of the field.
        given: what stands there, a value or one in each language by parameter.

    Returns:
        By parameter the value by language, "" for all of them; an empty value takes it out.

    Raises:
        GlassformerError: `lecture_kind`, `lecture_language`.
    """
    found: dict[str, Text] = {}
    for name, each in read_table(reader, path, given).items():
        said = each if isinstance(each, dict) else {"": each}
        if isinstance(each, dict) and each.keys() != set(reader.languages):
            reader.refuse("lecture_language", (*path, name), language=", ".join(reader.languages))
        fits = all(isinstance(one, str | int) and "\0" not in str(one) for one in said.values())
        if not fits or len(str(said)) > LONGEST_LINK or name in THE_READERS or len(name) > 100:
            reader.refuse("lecture_kind", (*path, name), allowed='{ head = "2" }')
        found[name] = {language: str(one) for language, one in said.items()}
    return found


def read_focus(reader: Reader, path: Path, given: Any) -> tuple[str, ...]:
    """The boxes of a page that fill the stage.

    Args:
        reader: refuses with the line.
        path: of the field.
        given: what stands there, a name or a list of them.

    Returns:
        Their names, `MOST_FOCUS` at most.

    Raises:
        GlassformerError: `lecture_kind`.
    """
    names = given if isinstance(given, list) else [given]
    fits = all(isinstance(each, str) and BOX.fullmatch(each) for each in names)
    if not fits or not 0 < len(names) <= MOST_FOCUS:
        reader.refuse("lecture_kind", path, allowed='["attention_large"]')
    return tuple(names)
