"""A page a kind of error: what each says in both languages, where it comes from, what to do.

The kinds are the headings of core/errors.toml; what is said of each in general stands in
docs/errors/kinds.toml, all else is read from the source.
"""

import ast
import re
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

from scripts.docs.docstrings import SECTION, parsed
from scripts.docs.pages import ROOT

SENTENCES = ROOT / "core/errors.toml"
WORDS = ROOT / "docs/errors/kinds.toml"
HEADING = re.compile(r"^# (.+)$")
KEY = re.compile(r"^(\w+) = ")
FIELD = re.compile(r"\{(\w+)\}")


@cache
def kinds() -> dict[str, tuple[str, ...]]:
    """The keys of each kind, by the heading under which they stand."""
    found: dict[str, list[str]] = {}
    for line in SENTENCES.read_text("utf-8").splitlines()[1:]:
        if heading := HEADING.match(line):
            keys = found.setdefault(heading[1], [])
        elif key := KEY.match(line):
            keys.append(key[1])
    return {kind: tuple(keys) for kind, keys in found.items() if keys}


def page_of(kind: str) -> str:
    """The name of a kind's page."""
    return re.sub(r"\W+", "-", kind.lower()).strip("-") + ".md"


@cache
def places() -> dict[str, str]:
    """Where in the site each key stands, seen from a folder beside errors/."""
    return {
        key: f"../errors/{page_of(kind)}#{key}" for kind, keys in kinds().items() for key in keys
    }


@cache
def origins() -> dict[str, dict[str, str]]:
    """Of each key the functions that raise it, and what their docstrings say of when."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("app/**/*.py")]):
        module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            said = _when(node)
            for key in _raised(node) | said.keys():
                found[key][f"{module.removesuffix('.__init__')}.{node.name}"] = said.get(key, "")
    return found


def _raised(node: ast.AST) -> set[str]:
    return {
        each.args[0].value
        for each in ast.walk(node)
        if isinstance(each, ast.Call) and ast.unparse(each.func) == "GlassformerError"
        if each.args and isinstance(each.args[0], ast.Constant)
    }  # fmt: skip


def _when(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, str]:
    """What a docstring's Raises says of each key: the clause that follows it."""
    parts = SECTION.split(ast.get_docstring(node) or "")
    said = " ".join(dict(zip(parts[1::2], parts[2::2], strict=True)).get("Raises", "").split())
    clauses = re.split(r"[;.,:] *(?=`)|\. (?=\w+: )|\.$", said)
    found = (re.match(r"`(\w+)`,? ((?:for|where|if|when|unless) .+)", each) for each in clauses)
    return {each[1]: each[2] for each in found if each}


def write_errors(pages: Path) -> None:
    """A page a kind, and on the first page a table of them."""
    chinese = tomllib.loads((ROOT / "app/words/zh/errors.toml").read_text("utf-8"))["errors"]
    english = tomllib.loads(SENTENCES.read_text("utf-8"))
    rows = ["| kind | keys |", "| --- | --- |"]
    for kind, keys in kinds().items():
        text = [f"# Errors of {kind}", *_in_general(kind)]
        for key in keys:
            text += _entry(key, english[key], chinese[key])
        (pages / "errors" / page_of(kind)).write_text("\n\n".join(text) + "\n", "utf-8")
        listed = ", ".join(f"[`{key}`]({page_of(kind)}#{key})" for key in keys)
        rows.append(f"| [{kind}]({page_of(kind)}) | {listed} |")
    with (pages / "errors/index.md").open("a", encoding="utf-8") as index:
        index.write("\n## The kinds\n\n" + "\n".join(rows) + "\n")


def words() -> dict[str, dict[str, str]]:
    """What is said of each kind in general."""
    found: dict[str, dict[str, str]] = tomllib.loads(WORDS.read_text("utf-8"))
    return found


def _in_general(kind: str) -> list[str]:
    said = words().get(kind, {})
    titles = {"cause": "Why", "see": "How to see it", "do": "What to do"}
    return [f"**{titles[each]}.** {text}" for each, text in said.items()]


def _entry(key: str, english: str, chinese: str) -> list[str]:
    """A key: its sentence in both languages, its values, when it comes, what to do."""
    values = ", ".join(f"`{name}`" for name in dict.fromkeys(FIELD.findall(english)))
    told = {place: said for place, said in origins().get(key, {}).items() if said}
    found = told or origins().get(key, {})
    when = "\n".join(f"- `{place}`" + (f" {said}" if said else "") for place, said in found.items())
    todo = _advice(english)
    return [
        f"## {key} {{#{key}}}",
        f"> {_plain(english)}\n>\n> {_plain(chinese)}",
        *([f"**When**\n\n{when}"] if when else []),
        *([f"**What to do.** {_plain(todo)}"] if todo else []),
        *([f"Its `values`: {values}."] if values else []),
    ]


def _advice(sentence: str) -> str:
    """What to do: the sentences after the first, which says what is wrong."""
    end = re.search(r"(?<=[.:]) (?=[A-Z{])", sentence)
    return sentence[end.end() :] if end else ""


def _plain(sentence: str) -> str:
    """A sentence with its places in braces as code, and nothing else of Markdown's."""
    parts = re.split(r"(\{\w+\}|`[^`]*`)", sentence.replace("{{{", "{").replace("}}}", "}"))
    quoted = (re.sub(r"([*_<\[\]|])", r"\\\1", each) for each in parts[::2])
    code = [f"`{each.strip('`')}`" for each in parts[1::2]]
    return "".join(each for pair in zip(quoted, [*code, ""], strict=True) for each in pair)
