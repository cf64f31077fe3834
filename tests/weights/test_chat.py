"""Chat templates: the text that a model gets is the one that `transformers` sends it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, processors

from glassformer.core.analysis.export import run_bytes
from glassformer.core.errors import GlassformerError
from glassformer.core.opening.runs import read_run
from glassformer.core.weights.chat import (
    LONGEST_SENT,
    LONGEST_TEMPLATE,
    ChatTemplate,
    chat_template_of,
)
from glassformer.core.weights.opened_model import OpenedModel, open_model
from tests.weights import small_tokenizers
from tests.weights.oracle import KINDS, transformers

SAID = "I like cats.\n  你好 <b>{{ x }}</b> $1"
CHATML = """{%- for m in messages -%}
<|im_start|>{{ m['role'] }}
{{ m['content'] }}<|im_end|>
{% endfor %}
{%- if add_generation_prompt -%}
<|im_start|>assistant
{% endif %}"""
HEADERS = """{{- bos_token }}
{%- if not date is defined %}{% set date = strftime_now("%d %b %Y") %}{% endif %}
{%- set ns = namespace(system=none) %}
{%- for m in messages %}
    {%- if m.role == 'system' %}{% set ns.system = m.content %}{% continue %}{% endif %}
    {{- '<|start|>' + m.role + '<|stop|>\n\n' + m.content | trim + '<|im_end|>' }}
{%- endfor %}
{{- '<|start|>system<|stop|>\n\nToday: ' + date + (ns.system or '') + '<|im_end|>' }}
{%- if add_generation_prompt %}{{ '<|start|>assistant<|stop|>\n\n' }}{% endif %}
"""
IN_TURNS = """{{ bos_token }}{% for m in messages %}
{% if m.role == 'system' %}{{ raise_exception('No system role here.') }}{% endif %}
{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Turns.') }}{% endif %}
{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% else %}
{% generation %}{{ m.content + eos_token }}{% endgeneration %}{% endif %}{% endfor %}"""
TOOLS = """{% if tools %}{{ tools | tojson }}{% endif %}{{ messages | tojson(indent=2) }}
{% for m in messages if m.content is string %}<{{ m.role | upper }}>{{ '%s|' | format(m.content) }}
{%- endfor %}{{ unk_token }}{{ dict(a=[1, 'é']) | tojson }}
"""


def named(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "template": each} for name, each in pairs]


# As they lie in folders: in the tokenizer's own file, one of a list, or in a file of its own.
TEMPLATES: dict[str, Any] = {
    "chatml": CHATML, "headers": HEADERS, "in turns": IN_TURNS, "tools": TOOLS,
    "a list": named(("tool_use", TOOLS), ("default", CHATML)),
}  # fmt: skip
SPECIALS = ["<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|start|>", "<|stop|>", "[INST]"]


def folder_of(folder: Path, template: Any = None, alone: str = "") -> Path:
    """A small Llama whose tokenizer begins every text with <s>."""
    small_tokenizers.byte_level(folder)
    words = Tokenizer.from_file(str(folder / "tokenizer.json"))
    words.add_special_tokens(SPECIALS)
    begins = [("<s>", words.token_to_id("<s>"))]
    words.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=begins)
    words.no_truncation()
    words.save(str(folder / "tokenizer.json"))
    about: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>",
        "eos_token": {"__type": "AddedToken", "content": "</s>", "lstrip": False,
                      "normalized": False, "rstrip": False, "single_word": False, "special": True},
    }  # fmt: skip
    if template is not None:
        about["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(about), encoding="utf-8")
    if alone:
        (folder / "chat_template.jinja").write_text(alone, encoding="utf-8")
    KINDS["llama 3"].make(
        folder, vocab_size=words.get_vocab_size(), bos_token_id=words.token_to_id("<s>"),
        eos_token_id=words.token_to_id("</s>"), max_position_embeddings=512,
    )  # fmt: skip
    return folder


def of_transformers(folder: Path, text: str) -> tuple[str, list[int]]:
    """What `transformers` sends for a user's message: as text, and as ids."""
    words = transformers.AutoTokenizer.from_pretrained(folder)
    asked = {"conversation": [{"role": "user", "content": text}], "add_generation_prompt": True}
    ids = words.apply_chat_template(**asked, tokenize=True, return_dict=False)
    return str(words.apply_chat_template(**asked, tokenize=False)), list(ids)


def got(model: OpenedModel, text: str) -> tuple[str, list[int]]:
    """What a run's model got of a text: as text, and as ids."""
    trace = model.trace(text, more=1)
    prompt = trace["target/ids"][0].tolist()
    assert trace.given == len(prompt) - 1  # all of it was given, one piece was chosen
    return trace.sent, prompt


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_model_gets_what_transformers_sends(name: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "chat", TEMPLATES[name])
    model = open_model(folder)
    sent, ids = got(model.with_chat_template(), SAID)
    assert (sent, ids) == of_transformers(folder, SAID)
    begin = model.tokens.id("<s>")
    assert ids.count(begin) == sent.count("<s>") <= 1  # it is the template that says so
    assert got(model, SAID) == ("", [begin, *model.tokens.plain_ids(SAID)])


def test_a_template_in_a_file_of_its_own_comes_first(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "chat", CHATML, alone=IN_TURNS)
    model = open_model(folder).with_chat_template()
    assert got(model, "Hello") == of_transformers(folder, "Hello")
    assert "[INST]" in model.sent("Hello")
    (folder / "chat_template.jinja").unlink()
    (folder / "tokenizer_config.json").unlink()
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": "{{ messages }}"}))
    assert isinstance(found := chat_template_of(folder), ChatTemplate)
    assert found.wrap("Hi") == "[{'role': 'user', 'content': 'Hi'}]"


@torch.no_grad()
def test_the_answer_is_the_one_that_transformers_generates(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "chat", IN_TURNS)
    trace = open_model(folder).with_chat_template().trace("I like cats.", more=8)
    _, ids = of_transformers(folder, "I like cats.")
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    answer = theirs.generate(torch.tensor([ids]), max_new_tokens=8, do_sample=False)[0].tolist()
    assert [*ids, *trace.output_ids[trace.given :]] == answer


def test_a_run_in_chat_is_computed_again_and_saved(tmp_path: Path) -> None:
    plain = open_model(folder_of(tmp_path / "chat", CHATML))
    model = plain.with_chat_template()
    assert model is plain.with_chat_template() and model.transformer is plain.transformer
    trace = model.trace("I like cats.")
    assert trace.source_text == "I like cats."
    assert trace.sent == ChatTemplate("", CHATML).wrap("I like cats.")
    assert read_run(run_bytes(trace)).sent == trace.sent
    for each in (plain, model):  # whoever is asked, the run says what was sent
        assert each.task_of(trace).given == tuple(trace["target/ids"][0, 1 : trace.given + 1])
    forced = model.trace("I like cats.", target=" Yes")
    assert forced.sent == trace.sent
    assert forced.target_tokens[: trace.given + 1] == trace.target_tokens[: trace.given + 1]


def refused(act: Callable[[], object]) -> GlassformerError:
    """What a call is refused with."""
    with pytest.raises(GlassformerError) as caught:
        act()
    return caught.value


WRONG = {  # a template -> the error, and what its sentence holds
    "{% if": ("chat_template", "unexpected"),
    "{{ raise_exception('Not a word.') }}": ("chat_template", "Not a word."),
    "{{ x.y.z }}": ("chat_template", "'x' is undefined"),
    "{% include 'other' %}": ("chat_template", "no loader"),
    "{{ ''.__class__.__mro__ }}": ("chat_template", "unsafe"),
    "{{ messages.append(1) }}": ("chat_template", "unsafe"),
    "{% set n = namespace() %}{% set n._a = 1 %}": ("chat_template", "_a"),
    "{{ range(1000000) }}": ("chat_template", "too big"),
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}": ("chat_template", "recursion"),
    "{% for i in range(9999) %}{{ messages[0].content * 9 }}{% endfor %}": ("chat_long", "10,000"),
}
ENDLESS = {
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}": "chat_slow",
    "{{ 'a' * 10**10 }}": "chat_memory",
}


@pytest.mark.parametrize("source", WRONG)
def test_what_a_template_does_wrong_is_a_sentence(source: str) -> None:
    key, part = WRONG[source]
    error = refused(lambda: ChatTemplate("a-model", source).wrap("Hi"))
    assert error.key == key and part in str(error) and "a-model" in str(error)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the system bounds no memory")
@pytest.mark.parametrize("source", ENDLESS)
def test_a_template_that_takes_all_there_is_is_ended(source: str) -> None:
    template = ChatTemplate("a-model", source)
    used = time.process_time()
    assert refused(lambda: template.wrap("Hi")).key == ENDLESS[source]
    assert refused(lambda: template.wrap("Hi")).key == ENDLESS[source]  # not computed again
    assert time.process_time() - used < 1  # the process of the template has its own bound


UNREADABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no text": (lambda f: write(f, {"chat_template": 5}), "no text"),
    "long": (lambda f: write(f, {"chat_template": "a" * (LONGEST_TEMPLATE + 1)}), "100,001"),
    "no default": (lambda f: write(f, {"chat_template": named(("rag", CHATML))}), "rag"),
    "damaged list": (lambda f: write(f, {"chat_template": [{"name": "default"}]}), "template"),
    "no object": (lambda f: write(f, []), "list"),
    "a file of bytes": (lambda f: (f / "chat_template.jinja").write_bytes(b"\xff"), "utf-8"),
    "a large file": (
        lambda f: (f / "chat_template.jinja").write_bytes(b"a" * (5 * LONGEST_TEMPLATE)), "bytes"
    ),
}  # fmt: skip


def write(folder: Path, about: object) -> None:
    (folder / "tokenizer_config.json").write_text(json.dumps(about), encoding="utf-8")


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_template_that_cannot_be_read_leaves_the_model_open(name: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "chat")
    damage, part = UNREADABLE[name]
    damage(folder)
    model = open_model(folder)
    assert model.trace("Hi", more=1).sent == ""
    error = refused(lambda: model.with_chat_template().trace("Hi"))
    assert error.key == "chat_template" and part in str(error)
    as_typed = model.with_chat_template(or_as_typed=True).trace("Hi", more=1)
    assert (as_typed.sent, as_typed.target_tokens) == ("", model.trace("Hi", more=1).target_tokens)


def test_a_template_elsewhere_is_not_read(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "chat")
    (tmp_path / "elsewhere").write_text(CHATML)
    (folder / "chat_template.jinja").symlink_to(tmp_path / "elsewhere")
    found = chat_template_of(folder)
    assert isinstance(found, GlassformerError) and found.key == "weights_outside"


def test_a_model_without_a_template_says_so(tmp_path: Path) -> None:
    model = open_model(folder_of(tmp_path / "plain"))
    assert not model.has_chat_template
    assert refused(model.with_chat_template).key == "chat_missing"
    assert model.with_chat_template(or_as_typed=True).trace("Hi", more=1).sent == ""


def test_a_prompt_is_no_longer_than_a_file_may_hold() -> None:
    template = ChatTemplate("", "{{ messages[0].content }}")
    assert len(template.wrap("a" * LONGEST_SENT)) == LONGEST_SENT
    assert refused(lambda: template.wrap("a" * (LONGEST_SENT + 1))).key == "chat_long"
