"""Who keeps what: owners, readers, bounds, and the week after which it goes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from glassformer.app.stores import kept_blobs as rows
from glassformer.app.stores.blobs import AddressBlobs, Blobs, FolderBlobs
from glassformer.app.stores.kept_blobs import KEPT_FOR, TOUCHED, KeptBlobs
from glassformer.app.stores.sqlite import SqliteStore
from glassformer.core.errors import GlassformerError

ME, YOU = "a" * 64, "b" * 64


class MovedStore(SqliteStore):
    """A store whose clock is moved by hand."""

    moved = 0.0

    def clock(self) -> float:
        return super().clock() + MovedStore.moved


class House:
    """A store and blobs that several fronts share."""

    def __init__(self, folder: Path, address: str) -> None:
        self.file = folder / "store.sqlite3"
        self.blobs: Blobs = AddressBlobs(address) if address else FolderBlobs(folder / "blobs")
        self.fronts: list[MovedStore] = []

    def front(self) -> KeptBlobs:
        self.fronts.append(MovedStore(self.file))
        return KeptBlobs(self.fronts[-1], self.blobs)


@pytest.fixture(params=["folder", "memory"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    MovedStore.moved = 0.0
    made = House(tmp_path, f"memory://{uuid4()}" if request.param == "memory" else "")
    yield made
    for each in made.fronts:
        each.close()
    made.blobs.close()


@pytest.fixture
def kept(house: House) -> KeptBlobs:
    return house.front()


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(GlassformerError) as caught:
        act()
    return caught.value.key


def names(kept: KeptBlobs, owner: str = ME) -> list[str]:
    return [each.name for each in kept.of_owner(owner)]


def test_a_link_is_readable_by_whoever_has_it(kept: KeptBlobs) -> None:
    made = kept.keep(ME, "model", "mine-1", b"weights")
    assert made.link == f"mine-1~{made.fingerprint[:16]}"
    for link in (made.link, made.link[:-8], f"other name~{made.fingerprint}"):
        found = kept.find(link, "model", YOU)
        assert found is not None and kept.content(found) == b"weights"
    assert kept.find(made.link, "run") is None
    for link in ("mine-1", made.link[:-9], "mine-1~%%%%%%%%", f"mine-1~{made.fingerprint}0"):
        assert kept.find(link, "model") is None, link
    assert not kept.of_owner(YOU)


def test_the_owner_alone_changes_it(kept: KeptBlobs) -> None:
    made = kept.keep(ME, "model", "mine-1", b"weights")
    assert refused(lambda: kept.remove(YOU, made)) == "kept_foreign"
    assert refused(lambda: kept.rename(YOU, made, "yours")) == "kept_foreign"
    kept.rename(ME, made, "better")
    assert names(kept) == ["better"]
    found = kept.find(made.link, "model")  # the link of before goes on
    assert found is not None and found.name == "better"
    kept.keep(ME, "model", "mine-1", b"others")
    assert refused(lambda: kept.rename(ME, made, "mine-1")) == "kept_name"
    kept.remove(ME, made)
    assert names(kept) == ["mine-1"] and kept.find(made.link, "model") is None


def test_a_model_that_two_keep_stays_until_both_have_let_it_go(
    house: House, kept: KeptBlobs
) -> None:
    mine, yours = (kept.keep(owner, "model", "given", b"weights") for owner in (ME, YOU))
    kept.remove(ME, mine)
    assert kept.content(yours) == b"weights"
    kept.remove(YOU, yours)
    assert not house.blobs.has(mine.fingerprint)


def test_one_name_is_one_model(house: House, kept: KeptBlobs) -> None:
    first = kept.keep(ME, "model", "mine-1", b"step 100")
    second = kept.keep(ME, "model", "mine-1", b"step 200")
    assert names(kept) == ["mine-1"] and not house.blobs.has(first.fingerprint)
    assert kept.keep(ME, "model", "again", b"step 200") == second  # it is called as before


def test_what_one_front_keeps_the_other_has(house: House, kept: KeptBlobs) -> None:
    other = house.front()
    assert not other.of_owner(ME)
    made = kept.keep(ME, "model", "mine-1", b"weights")
    other._hear("")  # as its store says that the file has changed
    assert other.of_owner(ME) == (made,) and other.content(made) == b"weights"


def test_a_killed_front_leaves_it_to_the_next_one(house: House) -> None:
    made = house.front().keep(ME, "model", "mine-1", b"weights")
    assert house.front().find(made.link, "model") == made


def test_a_list_is_read_once(kept: KeptBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    made = kept.keep(ME, "model", "mine-1", b"weights")
    assert kept.of_owner(ME) and kept.find(made.link, "model")
    monkeypatch.setattr(kept, "_read", lambda *_: pytest.fail("asked the store again"))
    assert kept.of_owner(ME) and kept.find(made.link, "model")


def test_it_goes_a_week_after_somebody_looked(house: House, kept: KeptBlobs) -> None:
    made = kept.keep(ME, "model", "mine-1", b"weights")
    MovedStore.moved = KEPT_FOR - 60
    found = kept.find(made.link, "model")
    assert found is not None
    kept.content(found)  # somebody with the link looks
    MovedStore.moved = 2 * KEPT_FOR - 120
    kept.sweep()
    assert names(kept) == ["mine-1"]
    MovedStore.moved = 2 * KEPT_FOR + TOUCHED
    assert not kept.of_owner(ME) and kept.find(made.link, "model") is None
    assert house.blobs.has(made.fingerprint)
    kept.keep(YOU, "model", "other", b"others")
    assert not house.blobs.has(made.fingerprint)


def test_one_owner_keeps_so_many_and_so_much(
    kept: KeptBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in range(rows.MOST_OF_ONE["model"]):
        kept.keep(ME, "model", f"mine-{each}", bytes([each]) * 10)
    assert refused(lambda: kept.keep(ME, "model", "more", b"more")) == "kept_full"
    kept.keep(ME, "model", "mine-1", b"in place of one")
    kept.keep(YOU, "model", "mine-1", b"another's")
    monkeypatch.setattr(rows, "BYTES_OF_ONE", 20)
    assert refused(lambda: kept.keep(YOU, "model", "mine-2", bytes(20))) == "kept_full"


def test_all_together_keep_so_much(
    house: House, kept: KeptBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "BYTES_OF_ALL", 20)
    kept.keep(ME, "model", "mine-1", bytes(15))
    assert refused(lambda: kept.keep(YOU, "model", "mine-1", bytes([1]) * 6)) == "too_many_kept"
    assert names(kept) == ["mine-1"] and not names(kept, YOU)


def test_of_runs_the_oldest_goes(kept: KeptBlobs) -> None:
    most = rows.MOST_OF_ONE["run"]
    made = [kept.keep(ME, "run", f"run {each}", bytes([each])) for each in range(most + 1)]
    assert kept.find(made[0].link, "run") is None
    assert [kept.find(each.link, "run") for each in made[1:]] == made[1:]


def test_a_full_disk_keeps_no_row(
    house: House, kept: KeptBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(house.blobs, "_write", full)
    assert refused(lambda: kept.keep(ME, "model", "mine-1", b"weights")) == "blobs_away"
    assert not kept.of_owner(ME)
