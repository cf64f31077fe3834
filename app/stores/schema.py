"""The tables of the store, in versions: what a later one adds stands below, nothing above changes.

The words are SQLite's; `postgres.py` says what Postgres calls them.
"""

from glassformer.app.stores.store import Store
from glassformer.core.errors import GlassformerError

ROOMS = """
create table if not exists rooms (
    code text primary key, lecture text not null, language text not null,
    scene integer not null default 0, black integer not null default 0,
    revision integer not null default 1, handed integer not null default 0,
    lock blob not null, secret blob not null,
    opened real not null, seen real not null, started real,
    short integer not null default 0, shown integer, played integer
);
create table if not exists asked (
    room text not null references rooms on delete cascade, scene integer not null,
    place integer not null, since real not null, primary key (room, scene)
);
create table if not exists proposals (
    number integer primary key autoincrement,
    room text not null references rooms on delete cascade, voter text not null,
    client text not null, kind text not null, text text not null, sent real not null
);
create table if not exists answers (
    room text not null references rooms on delete cascade, scene integer not null,
    answer text not null, primary key (room, scene)
);
create table if not exists votes (
    room text not null references rooms on delete cascade, scene integer not null,
    voter text not null, value text not null, client text not null default '',
    primary key (room, scene, voter)
) without rowid;
create table if not exists prepared (
    room text not null references rooms on delete cascade, scene integer not null,
    told text not null, primary key (room, scene)
);
create table if not exists pictures (
    room text not null references rooms on delete cascade, scene integer not null,
    version text not null, body blob not null, primary key (room, scene)
)
"""
# shared: secrets of all fronts, and when there was one. present: how many follow a room on a front,
# and when it said so.
FRONTS = """
create table shared (name text primary key, value text not null, seen real not null);
create table present (
    front text not null, room text not null references rooms on delete cascade,
    followers integer not null, seen real not null, primary key (front, room)
)
"""
# Which browser, known by the hash of its cookie, keeps which blob. Several may keep one.
KEPT = """
drop table if exists models;
create table models (
    fingerprint text not null, owner text not null, kind text not null, name text not null,
    bytes integer not null, since real not null, last_seen real not null,
    primary key (fingerprint, owner)
)
"""
# The training that a workshop has in the engine, for a front after the one that began it.
TRAININGS = """
create table trainings (
    owner text not null, workshop text not null, token text not null, plan text not null,
    checkpoint text not null, noted real not null, primary key (owner, workshop)
)
"""
MIGRATIONS = (ROOMS, FRONTS, KEPT, TRAININGS)


def migrate_store(held: Store) -> None:
    """Bring a store's tables to this version, from whichever before. Errors: store_newer."""
    with held.changing("schema"):
        held.ask("create table if not exists versions (number integer primary key)")
        ((found,),) = held.ask("select coalesce(max(number), 0) from versions")
        if found > len(MIGRATIONS):
            raise GlassformerError("store_newer", found=found, known=len(MIGRATIONS))
        for number, script in enumerate(MIGRATIONS[found:], found + 1):
            for statement in script.split(";"):
                held.ask(statement.strip())
            held.ask("insert into versions values (?)", number)
