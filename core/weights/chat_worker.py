"""Renders one chat template, in a process of its own that may take little time and memory.

`core.weights.chat` starts it: a JSON object on standard input, another on standard output. A
template is a program by whoever made the model. The sandbox of jinja2 gives it nothing but its own
words; what takes more than it may ends this process alone. Nothing of ours is imported.
"""

import json
import sys
from contextlib import suppress
from datetime import datetime
from typing import Any, NoReturn

import jinja2.debug  # noqa: F401 (now: no file can be opened while a template runs)
from jinja2 import TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

MEMORY = 512 * 2**20  # bytes
PLACES = ("messages", "tools", "documents", "add_generation_prompt")


class Generation(Extension):
    """`{% generation %}` tells a training what the model wrote; here its inside is what counts."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


class Names(Namespace):
    """What `namespace()` makes, without names that Python itself uses."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            raise SecurityError(f"a namespace has no {name}")
        super().__setitem__(name, value)


def raise_template_error(message: str) -> NoReturn:
    """What templates call `raise_exception`.

    Args:
        message: what the template says is wrong.

    Raises:
        TemplateError: always, with that message.
    """
    raise TemplateError(message)


def as_json(value: Any, ensure_ascii: bool = False, **form: Any) -> str:
    """Their `tojson`: jinja2's own is for pages, and writes & and < in another way.

    Args:
        value: anything that JSON can hold.
        ensure_ascii: whether other characters than ASCII are escaped.
        form: further arguments of `json.dumps`, such as `indent`.

    Returns:
        The JSON text.

    Raises:
        TypeError: the value holds what JSON has not.
    """
    return json.dumps(value, ensure_ascii=ensure_ascii, **form)


def environment() -> ImmutableSandboxedEnvironment:
    """What chat templates are written for: the names and habits that `transformers` gives them.

    Returns:
        A sandbox of jinja2 with their filter, functions and tags, new for each call.
    """
    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    made.filters["tojson"] = as_json
    made.globals |= {
        "raise_exception": raise_template_error,
        "strftime_now": lambda form: datetime.now().strftime(form),
        "namespace": Names,
        "dict": lambda *pairs, **named: dict(*pairs, **named),
    }
    return made


def render_prompt(source: str, text: str, tokens: dict[str, str], most: int) -> dict[str, str]:
    """The text as a user's message with the beginning of its answer, or what was wrong.

    From then on this process can open no file.

    Args:
        source: the template.
        text: what the user says.
        tokens: special tokens by the names that the template may use ("bos_token", …).
        most: characters that the template may write.

    Returns:
        {"text": the prompt}, or {"error": `chat_long`, `chat_memory` or `chat_template`}, the last
        with "problem", what went wrong in the template.
    """
    messages = [{"role": "user", "content": text}]
    given = dict(zip(PLACES, (messages, None, None, True), strict=True))
    parts, length = list[str](), 0
    try:
        template = environment().from_string(source)
        bound_resources(NOFILE=3)  # those that are open
        for part in template.generate(**tokens | given):
            parts.append(part)
            length += len(part)
            if length > most:
                return {"error": "chat_long"}
    except MemoryError:
        return {"error": "chat_memory"}
    except Exception as error:  # whatever a template does wrong
        return {"error": "chat_template", "problem": str(error) or type(error).__name__}
    return {"text": "".join(parts)}


def bound_resources(**most_of: int) -> None:
    """Bounds what this process may take of the system: seconds, bytes, files and connections.

    Does nothing on Windows, and leaves a bound as it is where the system refuses the new one.

    Args:
        most_of: the bound by the name of the resource, as in `setrlimit` without "RLIMIT_": CPU,
            AS, …
    """
    with suppress(ImportError):  # on Windows
        import resource

        for name, most in most_of.items():
            with suppress(ValueError, OSError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    bound_resources(CPU=asked.pop("seconds"), AS=MEMORY, CORE=0, FSIZE=0)
    json.dump(render_prompt(**asked), sys.stdout)
