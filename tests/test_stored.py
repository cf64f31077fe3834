"""JSON from elsewhere: an object, or a sentence that says why not."""

import re
from pathlib import Path

import pytest

from glassformer.core.untrusted import LARGEST_JSON, read_json, read_json_file, table_of

DEEP = '{"a":' * 100_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DEEP, "nested too deeply"),
        (DEEP + "1" + "}" * 100_000, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", "list, not an object"),
        ("null", "NoneType, not an object"),
        ('"text"', "str, not an object"),
        ("{", "not JSON (line 1"),
        ("", "not JSON (line 1"),
        ('{"a": "\\ud800"}', "not text in UTF-8"),
        (b'{"a": "\xff"}', "not text in UTF-8"),
        ('{"a": ' + "9" * 5000 + "}", "integer"),
    ],
)
def test_what_is_no_object_is_refused_in_words(text: str | bytes, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        read_json(text)
    assert len(str(caught.value)) < 200


def test_objects_are_read(tmp_path: Path) -> None:
    assert read_json('{"a": [1, {"词": "🦊"}]}') == {"a": [1, {"词": "🦊"}]}
    path = tmp_path / "facts.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match=r"facts\.json: it holds a list"):
        read_json_file(path)
    with path.open("wb") as file:
        file.truncate(LARGEST_JSON + 1)  # a file of so many zeros, which takes no room
    with pytest.raises(ValueError, match="at most"):
        read_json_file(path)


def test_true_is_no_number() -> None:
    assert table_of({"a": 1}, int, "x") == {"a": 1}
    for wrong in ({"a": True}, {"a": "1"}, [1], None):
        with pytest.raises(ValueError, match="x holds"):
            table_of(wrong, int, "x")
