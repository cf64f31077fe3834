"""A function is named by a verb with its object or by a noun that says what it is.

Read are the public functions of modules. Methods are read with what they belong to.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.architecture.sources import module_name, parse, python_files

# Words that several modules may have, and why.
INTERFACE = {
    "show": "what a page and every part of one has: the frame and `show_part` call it by this name",
    "main": "where a program begins",
}
# Those that do not end in -ed, and are not the verb itself as "read", "cut" and "put" are.
PARTICIPLES = set(
    "been begun bent bound bought born broken brought built caught chosen dealt done drawn driven "
    "fallen fed felt flown forgotten found frozen given gone grown heard held hidden hung kept "
    "known laid led left lent lost made meant met paid risen said seen sent shown sold sought "
    "spent spoken stood stuck struck sworn taken taught told torn undone won woken worn woven "
    "written".split()
)
NOUNS = {"feed", "king", "ring", "seed", "speed", "spring", "string", "thing"}


def public_functions() -> Iterator[tuple[str, str]]:
    """The module and name of each, an overloaded one once."""
    for path in python_files("app", "core"):
        names = {
            node.name: None
            for node in parse(path).body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        yield from ((module_name(path), name) for name in names if not name.startswith("_"))


def is_participle(word: str) -> bool:
    return word in PARTICIPLES or (word.endswith(("ed", "ing")) and word not in NOUNS)


def test_a_name_of_one_word_is_unique_and_no_participle() -> None:
    modules = defaultdict(list)
    for module, name in public_functions():
        if "_" not in name and name not in INTERFACE:
            modules[name].append(module)
    assert "say" in modules
    assert not {name: where for name, where in modules.items() if len(where) > 1}
    assert not {name: where for name, where in modules.items() if is_participle(name)}


def test_participles_are_known() -> None:
    assert all(map(is_participle, ("told", "scaled", "filling", "written")))
    assert not any(map(is_participle, ("run", "seed", "string", "probability")))
