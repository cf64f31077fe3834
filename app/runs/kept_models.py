"""Models that visitors trained or opened, and opened runs: a browser's, read by all with the link.

What a link carries is their name and the beginning of their fingerprint: "mine-1~0123456789abcdef".
"""

import hashlib
import secrets
from functools import lru_cache
from pathlib import Path

import streamlit as st

from glassformer.app.session import store
from glassformer.app.session.limits import OWNER, OWNERS
from glassformer.app.stores.kept_blobs import KEPT_FOR, KeptBlob, open_kept_blobs
from glassformer.app.stores.store import open_store
from glassformer.core.errors import GlassformerError
from glassformer.core.opening.models import check_model_folder, name_for_folder

MARK = "~"  # between name and fingerprint; no name has it
LONGEST_RUN_NAME = 60
OwnModel = KeptBlob


def browser_secret() -> str:
    """What only this browser knows; "" where it takes no cookies, and in a script without one."""
    found: str = st.context.cookies.to_dict().get(OWNER, "")
    return found if OWNERS.fullmatch(found) else ""


def owner_name() -> str:
    """What the store calls this browser, of which nobody can tell its cookie.

    Without cookies it is this session alone.
    """
    memory = store.memory()
    if not memory.owner:
        memory.owner = hashlib.sha256(
            (browser_secret() or secrets.token_hex(16)).encode()
        ).hexdigest()
    return memory.owner


def own_models() -> tuple[KeptBlob, ...]:
    """Those of this browser, the oldest first; none where the store is away."""
    try:
        return tuple(e for e in open_kept_blobs().of_owner(owner_name()) if e.kind == "model")
    except GlassformerError:
        return ()


def link_names() -> list[str]:
    """What links call this browser's models, and the one on screen where it is another's."""
    names = [each.link for each in own_models()]
    asked = store.get_state().model
    found = find_model(asked) if MARK in asked else None
    return names if found is None or found.link in names else [*names, found.link]


def find_model(name: str) -> KeptBlob | None:
    """What a link names, whoever has it, or one of this browser's by its mere name; else None."""
    if MARK not in name:
        return next((each for each in reversed(own_models()) if each.name == name), None)
    try:
        return open_kept_blobs().find(name, "model", owner_name())
    except GlassformerError:
        return None


def folder_of_model(name: str) -> Path:
    """The folder of one, here and looked at; never write to it.

    Errors: checkpoint_missing, blob_damaged, blobs_away, and those of `check_model_folder`.
    """
    if (found := find_model(name)) is None:
        raise GlassformerError("checkpoint_missing", path=plain_name(name))
    folder = open_kept_blobs().folder(found)
    _check(folder)
    return folder


@lru_cache(maxsize=1000)  # once a process: a folder of it never changes
def _check(folder: Path) -> None:
    check_model_folder(folder)


def keep_model(name: str, folder: Path) -> str:
    """Keeps a copy of a model's folder for this browser; returns what links call it.

    Errors: kept_full, too_many_kept, blob_large, blobs_away, and those of the store.
    """
    return open_kept_blobs().keep(owner_name(), "model", name, folder).link


def rename_model(kept: KeptBlob, name: str) -> None:
    """Another name for one of this browser's. Errors: kept_foreign, kept_name."""
    open_kept_blobs().rename(owner_name(), kept, name_for_folder(name))


def remove_model(kept: KeptBlob) -> None:
    """One of this browser's is kept no longer; of a model on screen another one comes there.

    Errors: kept_foreign.
    """
    open_kept_blobs().remove(owner_name(), kept)
    if store.get_state().model == kept.link:
        store.update(model="", step="")


def days_left(kept: KeptBlob) -> int:
    """Whole days that it stays, at least, if nobody looks at it."""
    return max(0, int((kept.last_seen + KEPT_FOR - open_store().clock()) // 86_400))


def keep_run(name: str, data: bytes) -> str:
    """Keeps a run's file for this browser; returns what links call it, "" without room."""
    shown = " ".join(name.replace(MARK, "-").split())[:LONGEST_RUN_NAME] or "run"
    try:
        return open_kept_blobs().keep(owner_name(), "run", shown, data).link
    except GlassformerError:
        return ""  # it is on screen all the same


def find_run(link: str) -> KeptBlob | None:
    """The run that a link names, whoever keeps it. Errors: those of the store."""
    return open_kept_blobs().find(link, "run", owner_name()) if link else None


def content_of_run(kept: KeptBlob) -> bytes:
    """The bytes of its file, not read yet: `read_run` does. Errors: as `Blobs.get`."""
    return open_kept_blobs().content(kept)


def plain_name(name: str) -> str:
    """A model's name without the fingerprint that a link may have behind it."""
    return name.partition(MARK)[0]
