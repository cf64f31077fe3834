"""Files are written whole or not at all, under names that every system takes."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from glassformer.app.takeaway.files import LONGEST, file_name, file_stem, write_file
from glassformer.core.errors import GlassformerError
from tests.takeaway.lectures import LECTURE


@pytest.mark.parametrize(
    "text", ["a/b\\c: d?*", "../../etc", "x" * 300, "句" * 300, "a\0b\n", "…", "CON", ""]
)
def test_a_sentence_as_a_name(text: str, tmp_path: Path) -> None:
    name = f"{file_stem(text)}.html"
    assert len(name.encode()) <= LONGEST + 5 and not set(name) & set('/\\:?*"<>|\0\n')
    assert not name.startswith(".") and file_stem(text).lower() != "con"
    (tmp_path / name).write_text("x")
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_the_name_of_a_lecture() -> None:
    assert file_name(LECTURE, "zh", "html") == "一个讲座.html"
    assert (
        file_name(LECTURE, "en", "ipynb")
        == "script-script-alert-1-script-right-to-left-b-bold-b-x.ipynb"
    )


def test_written_over_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GlassformerError, match="No such file or directory"):
        write_file(tmp_path / "nosuch" / "page.html", b"x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(GlassformerError, match="Permission denied"):
        write_file(tmp_path / "page.html", b"x")


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(GlassformerError, match="too long"):
        write_file(tmp_path / ("x" * 300), b"x")
    assert not [*tmp_path.iterdir()]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    usual = tempfile.mkstemp

    def full(**where: Any) -> tuple[int, str]:
        number, name = usual(**where)
        os.close(number)
        return os.open("/dev/full", os.O_WRONLY), name

    monkeypatch.setattr(tempfile, "mkstemp", full)
    with pytest.raises(GlassformerError, match="No space left"):
        write_file(path, b"x" * 100_000)
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]
