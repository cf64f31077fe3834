"""What the server takes at most: every such number stands here."""

from __future__ import annotations

CACHE_BYTES = 512 * 2**20  # all caches of the server together: about 200 sentences
PLACES = 2  # reruns that run at once
PATIENCE = 1.0  # seconds after which a rerun no longer holds up those behind it
