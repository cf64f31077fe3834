"""A server's own folder for trainings: fresh, locked while it lives, swept once it is gone."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "glassformer-trainings-"


def own_folder(parent: Path) -> tuple[Path, IO[str] | None]:
    """A fresh folder, and the lock that says its server lives; those without a server go."""
    root = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    if fcntl is None:
        return root, None
    for other in parent.glob(f"{PREFIX}*"):
        if other != root:
            _sweep(other)
    lock = (root / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return root, lock


def _sweep(folder: Path) -> None:
    """Removes the folder of a server that was killed: one whose lock nobody holds."""
    # OSError: it lives, is another user's, or is going at this moment.
    with suppress(OSError), (folder / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
