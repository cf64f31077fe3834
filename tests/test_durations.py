"""The table of durations says which files grew."""

import tomllib

from tests.durations import TABLE, grown, table

BEFORE = {"browser/test_link.py": 300, "app/test_link.py": 10, "app/test_gone.py": 5}
NOW = {"browser/test_link.py": 290.2, "app/test_link.py": 31.5, "app/test_new.py": 4.0,
       "app/test_quick.py": 0.2}  # fmt: skip


def test_what_grew_most_comes_first() -> None:
    assert grown(BEFORE, NOW) == [
        "app/test_link.py: 32 s, 10 s in the table",
        "app/test_new.py: 4 s, 0 s in the table",
    ]


def test_a_table_is_read_again() -> None:
    written = tomllib.loads(table(NOW))
    assert written == {"browser/test_link.py": 290, "app/test_link.py": 32, "app/test_new.py": 4}
    assert not grown(written, NOW)


def test_the_table_names_files_that_are_there() -> None:
    if TABLE.exists():
        names = tomllib.loads(TABLE.read_text("utf-8"))
        assert not [name for name in names if not (TABLE.parent / name).exists()]
