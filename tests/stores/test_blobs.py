"""What every place of blobs holds to: a folder, and two of fsspec's."""

import os
import tarfile
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest

from glassformer.app.stores import blobs as places
from glassformer.app.stores.blobs import AddressBlobs, Blobs, FolderBlobs, pack_folder
from glassformer.core.errors import GlassformerError

MAKERS: dict[str, Callable[[Path], Blobs]] = {
    "folder": lambda path: FolderBlobs(path / "blobs"),
    "local": lambda path: AddressBlobs(f"local://{path}/blobs"),
    "memory": lambda _: AddressBlobs(f"memory://{uuid4()}"),
}


@pytest.fixture(params=MAKERS)
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Blobs]:
    made = MAKERS[request.param](tmp_path)
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    (made / "snapshots").mkdir(parents=True)
    (made / "config.json").write_text("{}")
    (made / "snapshots" / "step-000400.safetensors").write_bytes(bytes(1000))
    return made


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(GlassformerError) as caught:
        act()
    return caught.value.key


def test_what_is_put_comes_back_under_its_digest(blobs: Blobs) -> None:
    mark = blobs.put(b"a model")
    assert mark == blobs.put(b"a model") and len(mark) == 64
    assert blobs.get(mark) == b"a model" and blobs.has(mark)
    blobs.remove(mark)
    blobs.remove(mark)
    assert not blobs.has(mark)
    assert refused(lambda: blobs.get(mark)) == "blob_missing"


@pytest.mark.parametrize(
    "name", ["", "../store", "/etc/passwd", "0" * 63, "0" * 64 + "\n", "Z" * 64]
)
def test_no_other_name_is_asked_for(blobs: Blobs, name: str) -> None:
    for act in (blobs.get, blobs.has, blobs.remove, blobs.folder_of):
        assert refused(lambda act=act: act(name)) == "blob_missing"  # type: ignore[misc]


def test_half_of_a_blob_is_never_read(blobs: Blobs, folder: Path) -> None:
    """As a process leaves it that was killed while it wrote, where nothing is renamed."""
    mark = blobs.put_folder(folder)
    blobs._write(mark, pack_folder(folder)[:700])
    assert refused(lambda: blobs.get(mark)) == "blob_damaged"
    assert refused(lambda: blobs.folder_of(mark)) == "blob_damaged"
    assert blobs.put_folder(folder) == mark  # put again, it is whole
    assert (blobs.folder_of(mark) / "config.json").read_text() == "{}"


def test_a_folder_comes_back_as_it_was(blobs: Blobs, folder: Path) -> None:
    mark = blobs.put_folder(folder)
    os.utime(folder / "config.json", (0, 0))
    assert blobs.put_folder(folder.rename(folder.with_name("other"))) == mark
    found = blobs.folder_of(mark, "mine-1")
    assert found.name == "mine-1" and found is blobs.folder_of(mark, "mine-1")
    assert {each.relative_to(found).as_posix() for each in found.rglob("*") if each.is_file()} == {
        "config.json", "snapshots/step-000400.safetensors"
    }  # fmt: skip
    blobs.remove(mark)
    assert not found.exists()


def test_copies_have_a_bound(blobs: Blobs, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = blobs.folder_of(mark := blobs.put_folder(folder))
    monkeypatch.setattr(places, "UNPACKED_BYTES", 1000)
    (folder / "config.json").write_text("{1: 2}")
    second = blobs.folder_of(blobs.put_folder(folder))
    assert second.exists() and not first.exists()
    assert blobs.folder_of(mark).exists()  # it is fetched again


def test_what_is_old_and_not_needed_goes(blobs: Blobs) -> None:
    needed, other = blobs.put(b"needed"), blobs.put(b"other")
    blobs.sweep(time.time() - 60, set())
    assert blobs.has(needed) and blobs.has(other)
    blobs.sweep(time.time() + 60, {needed})
    assert blobs.has(needed) and not blobs.has(other)


def test_a_blob_has_a_largest_size(blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "BLOB_BYTES", 10)
    assert refused(lambda: blobs.put(bytes(11))) == "blob_large"


@pytest.mark.parametrize("name", ["../out", "/out", "a/../../out", ".hidden", "a\nb"])
def test_a_packed_folder_leads_nowhere_else(blobs: Blobs, name: str, tmp_path: Path) -> None:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(name), BytesIO())
    mark = blobs.put(buffer.getvalue())
    assert refused(lambda: blobs.folder_of(mark)) == "blob_damaged"
    assert not (tmp_path / "out").exists()


def test_a_packed_folder_has_no_links(blobs: Blobs) -> None:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        link = tarfile.TarInfo("config.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert refused(lambda: blobs.folder_of(blobs.put(buffer.getvalue()))) == "blob_damaged"


def test_no_tar_is_no_folder(blobs: Blobs) -> None:
    assert refused(lambda: blobs.folder_of(blobs.put(b"a run"))) == "blob_damaged"


def test_a_place_that_is_full_is_told(blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(blobs, "_write", full)
    with pytest.raises(GlassformerError, match="No space left") as caught:
        blobs.put(b"a model")
    assert caught.value.key == "blobs_away"


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    kept = FolderBlobs(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    assert refused(lambda: kept.put(b"a model")) == "blobs_away"
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_half_written_goes(tmp_path: Path) -> None:
    for name, age in ((".new-0", 0), (".new-1", 2 * 86_400), ("notes.txt", 2 * 86_400)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    FolderBlobs(tmp_path).sweep(0, set())
    assert sorted(each.name for each in tmp_path.iterdir()) == [".new-0", "notes.txt"]


def test_others_cannot_look_into_the_folder(tmp_path: Path) -> None:
    mark = FolderBlobs(tmp_path / "blobs").put(b"a model")
    assert (tmp_path / "blobs").stat().st_mode & 0o077 == 0
    assert (tmp_path / "blobs" / mark).stat().st_mode & 0o077 == 0


def test_an_address_that_leads_nowhere_is_refused() -> None:
    for address in ("nothing://here", "abfs://bucket/models"):  # unknown; not installed
        assert refused(lambda address=address: AddressBlobs(address)) == "setting"  # type: ignore[misc]


def test_a_file_address_is_a_folder(tmp_path: Path) -> None:
    for address in (f"file://{tmp_path}", str(tmp_path)):
        assert isinstance(places._open(address), FolderBlobs)
