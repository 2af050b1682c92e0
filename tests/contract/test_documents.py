"""What the documents say is what the code does."""

import inspect
import json
import os
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from contract.shown_commands import DOCUMENTS, ROOT, SERVED
from everything_server import (
    Era,
    PluginManager,
    Registries,
    __version__,
    completion,
    create_server,
    hookspecs,
    input_required,
    specs,
)
from everything_server.cli import cli
from everything_server.content import kept_resources
from everything_server.discovery import GROUP, Candidate
from everything_server.eras import versions_of
from everything_server.serving import event_store, http, peer, stdio
from everything_server_calculator.common import histories
from everything_server_resources import documents
from everything_server_tasks import store
from everything_server_tools import get_env
from harness import Connect, connector, forking
from mcp.client import Client
from mcp_types import ElicitResult, TextResourceContents

COMMAND = Path(sys.executable).with_name("everything-server")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("EVERYTHING_SERVER_")}
ENVIRONMENT["PATH"] = os.pathsep.join([str(COMMAND.parent), ENVIRONMENT.get("PATH", "")])


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def blocks_of_all(language: str) -> list[Any]:
    return [
        pytest.param(block, id=f"{path.relative_to(ROOT)}:{number}")
        for path in DOCUMENTS
        for number, block in enumerate(blocks(path.read_text(encoding="utf-8"), language), 1)
    ]


def section(text: str, heading: str) -> str:
    """From a heading of the second level to the next one."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"there is no section {heading!r}"
    return found[1]


def first_column(text: str) -> list[str]:
    """What stands in code quotes at the start of each row of a table."""
    return re.findall(r"^\| (?:\*\*)?`([^`]+)`", text, re.MULTILINE)


def run(command: list[Any], **environment: str) -> str:
    done = forking.run([str(part) for part in command], env={**ENVIRONMENT, **environment})
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_generated_parts_are_up_to_date() -> None:
    run([sys.executable, ROOT / "docs" / "generate.py", "--check"])


def test_the_readme_lists_the_plugins_that_there_are() -> None:
    folders = {path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml")}
    rows = json.loads(run([COMMAND, "--plugins", "*", "plugins", "--json"]))
    ours = [row["name"] for row in rows if row["distribution"] in {f"everything-server-{name}" for name in folders}]
    listed = first_column(section(text_of("README.md"), "Features"))
    assert (sorted(listed), len(listed)) == (sorted(ours), len(set(listed)))


def test_the_command_line_document_contains_the_real_help_of_every_command() -> None:
    document = text_of("docs/command-line.md")
    for command in ([], *([name] for name in cli.commands)):
        assert run([COMMAND, *command, "--help"], COLUMNS="80").strip() in document


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    targets = re.findall(r"^(\w+):.*##", text_of("Makefile"), re.MULTILINE)
    used = {name for file in ("README.md", "CONTRIBUTING.md") for name in re.findall(r"make ([a-z]+)`", text_of(file))}
    used |= set(re.findall(r"^make ([a-z]+)", text_of("README.md"), re.MULTILINE))
    assert {"serve", "test"} <= used <= set(targets)
    listed = first_column(section(text_of("CONTRIBUTING.md"), "Commands"))
    assert sorted(listed) == sorted(f"make {name}" for name in targets)


@pytest.mark.parametrize("block", blocks_of_all("json"))
def test_a_host_that_is_configured_as_shown_finds_the_server(block: str) -> None:
    (servers,) = json.loads(block).values()
    host, port, path = (
        next(option.default for option in cli.commands["streamable-http"].params if option.name == name)
        for name in ("host", "port", "path")
    )
    for entry in servers.values():
        if "url" in entry:
            assert entry["url"] == f"http://{host}:{port}{path}"
        else:
            assert entry["command"] == "everything-server"  # what follows is run in test_commands_in_documents.py


def test_the_client_in_the_readme_gets_its_answer() -> None:
    (program,) = blocks(text_of("README.md"), "python")
    assert "Echo: hello" in run([sys.executable, "-W", "error", "-c", program])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_something(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        assert (path.parent / file).exists(), target
        if anchor:
            linked = path.parent / file if file else path
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}, target


def hooks() -> dict[str, str]:
    """The signature of each hook, as its heading shows it."""
    return {
        name: f"{name}({', '.join(inspect.signature(function).parameters)})"
        for name, function in vars(hookspecs).items()
        if name.startswith("everything_server_")
    }


@pytest.mark.parametrize("name", hooks())
def test_every_hook_is_documented_under_its_signature_with_an_example(name: str) -> None:
    described = section(text_of("docs/hooks.md"), hooks()[name])
    (example,) = blocks(described, "python")
    assert f"def {name}(" in example
    compile(example, name, "exec")


def test_every_heading_of_the_hooks_document_is_a_hook() -> None:
    assert re.findall(r"^## (.*)$", text_of("docs/hooks.md"), re.MULTILINE) == list(hooks().values())


@pytest.mark.parametrize("name", hooks())
def test_the_hooks_document_explains_every_field_of_what_a_hook_returns(name: str) -> None:
    described = section(text_of("docs/hooks.md"), hooks()[name])
    kinds = [vars(specs)[kind] for kind in re.findall(r"\b(\w+Spec)\b", described.partition("```")[0])]
    fields = {field for kind in kinds for field in inspect.signature(kind).parameters}
    explained = {word for row in re.findall(r"^\|([^|]+)\|", described, re.M) for word in re.findall(r"`(\w+)`", row)}
    assert explained == fields


def test_the_extension_document_names_every_hook() -> None:
    assert first_column((SERVED / "extension.md").read_text(encoding="utf-8")) == list(hooks())


PLUGIN_EXAMPLES = [
    pytest.param(block, id=f"{name}:{number}")
    for name in ("docs/writing-plugins.md", str((SERVED / "extension.md").relative_to(ROOT)))
    for number, block in enumerate(blocks(text_of(name), "python"), 1)
    if "@hookimpl" in block
]


def loaded(source: str, monkeypatch: pytest.MonkeyPatch) -> PluginManager:
    """A manager with a plugin that was shown in a document."""
    module = ModuleType("shown_plugin")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(source, module.__name__, "exec"), vars(module))
    entry_point = EntryPoint("shown.plugin", module.__name__, GROUP)
    manager = PluginManager(candidates=[Candidate("shown.plugin", "shown", "1", entry_point)], strict=True)
    manager.load()
    manager.check()
    return manager


@pytest.mark.parametrize("source", PLUGIN_EXAMPLES)
def test_a_plugin_shown_in_a_document_works(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registries = Registries(loaded(source, monkeypatch))
    (plugin,) = registries.manager.plugins
    assert registries.provisions(plugin)
    for era in Era:
        registries(era)


async def test_the_plugin_that_asks_the_client_gets_its_answer_in_both_eras(
    era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = [block for block in blocks(text_of("docs/writing-plugins.md"), "python") if "ask_colour" in block]

    async def answer(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"colour": "green"})

    registry = Registries(loaded(source, monkeypatch))(era)
    mode = "legacy" if era is Era.LEGACY else "2026-07-28"
    with anyio.fail_after(10):
        async with Client(create_server(registry), mode=mode, elicitation_callback=answer) as client:
            result = await client.call_tool("ask-colour", {})
    assert result.content[0].text == "The user likes green best."  # type: ignore[union-attr]


async def test_the_features_document_names_everything_that_is_served_and_nothing_else() -> None:
    document = (SERVED / "features.md").read_text(encoding="utf-8")
    tools, templates, prompts = set[str](), set[str](), set[str]()
    for era in Era:
        async with connector(era)("tools,resources,prompts,tasks,extras") as client:
            tools |= {tool.name for tool in (await client.list_tools()).tools}
            listed = (await client.list_resource_templates()).resource_templates
            templates |= {template.uri_template for template in listed}
            prompts |= {prompt.name for prompt in (await client.list_prompts()).prompts}
    assert sorted(first_column(section(document, "Tools"))) == sorted(tools)
    families = {
        f"{documents.URI_PREFIX}{{name}}",
        "demo://resource/annotated/{name}",
        "demo://resource/icon/image",
        "demo://resource/numbered/{number}",
    }
    assert sorted(first_column(section(document, "Resources"))) == sorted(templates | families)
    assert sorted(first_column(section(document, "Prompts"))) == sorted(prompts)


def test_the_features_document_names_the_plugin_of_each_feature() -> None:
    document = (SERVED / "features.md").read_text(encoding="utf-8")
    manager = PluginManager(["tools,resources,prompts,tasks,extras"])
    manager.load()
    columns = re.findall(r"^\| `[^`]+` \| `([^`]+)` \|", document, re.MULTILINE)
    assert set(columns) == {plugin.name for plugin in manager.plugins}


async def test_the_documents_are_served_as_they_are(connect: Connect) -> None:
    async with connect("resources.documents") as client:
        for name in documents.DOCUMENTS:
            result = await client.read_resource(documents.URI_PREFIX + name)
            (content,) = result.contents
            assert isinstance(content, TextResourceContents)
            assert content.text == (SERVED / name).read_text(encoding="utf-8")
            assert len(content.text.splitlines()) > 40


def test_the_structure_document_names_places_that_exist() -> None:
    document = (SERVED / "structure.md").read_text(encoding="utf-8")
    core = ROOT / "core" / "src" / "everything_server"
    folders = {"Top level": ROOT, "The core": core, "A distribution of plugins": ROOT, "Tests": ROOT}
    for heading, folder in folders.items():
        names = first_column(section(document, heading))
        assert names
        assert [name for name in names if not (folder / name).exists()] == []


def test_the_structure_document_names_every_module_of_the_core() -> None:
    document = (SERVED / "structure.md").read_text(encoding="utf-8")
    core = ROOT / "core" / "src" / "everything_server"
    there = {path.name for path in core.glob("*.py")} | {f"{path.parent.name}/" for path in core.glob("*/__init__.py")}
    assert set(first_column(section(document, "The core"))) == there - {"__main__.py"}


def test_the_structure_document_names_every_distribution() -> None:
    document = (SERVED / "structure.md").read_text(encoding="utf-8")
    there = {f"{path.parent.relative_to(ROOT)}/" for path in [*ROOT.glob("plugins/*/pyproject.toml")]} | {"core/"}
    assert set(re.findall(r"^\| \*\*`([^`]+)`\*\*", document, re.MULTILINE)) == there


def test_the_architecture_document_names_modules_that_exist() -> None:
    document = (SERVED / "architecture.md").read_text(encoding="utf-8")
    core = ROOT / "core" / "src" / "everything_server"
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section(document, "Layers"), re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(names) > 10
    assert [name for name in names if not ((core / f"{name}.py").exists() or (core / name).is_dir())] == []


@pytest.mark.parametrize(
    "phrase",
    [
        f"{stdio.NEXT_ANSWER:g} seconds and all of them within {stdio.ALL_ANSWERS:g} seconds",
        f"waits up to {input_required.ANSWER_TIMEOUT:g} seconds for each answer",
        f"After {input_required.MAX_ROUNDS} rounds",
        f"at most {completion.MAX_VALUES} values",
    ],
)
def test_the_limits_in_the_documents_are_those_of_the_code(phrase: str) -> None:
    assert phrase in " ".join((SERVED / "how-it-works.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "phrase",
    [
        f"| {http.MAX_BODY >> 20} MiB (`--max-body`)",
        f"| {peer.MAX_IN_FLIGHT:,} |",
        f"| {event_store.MAX_EVENTS:,} and {event_store.MAX_BYTES >> 20} MiB |",
        f"| {input_required.ANSWER_TIMEOUT:g} seconds |",
        f"| {store.MOST_TASKS:,} and {store.MOST_BYTES >> 20} MiB, each for at most an hour |",
        f"| {kept_resources.MOST_RESOURCES} and {kept_resources.MOST_BYTES >> 20} MiB in a session",
        f"| {histories.MOST_HISTORIES:,} and {histories.MOST_BYTES >> 20} MiB, each until",
    ],
)
def test_the_bounds_in_the_security_document_are_those_of_the_code(phrase: str) -> None:
    assert phrase in text_of("docs/security.md")


def test_the_variables_that_get_env_shows_are_those_of_the_security_document() -> None:
    (sentence,) = re.findall(r"`get-env` shows the values of .*?in the name\.", text_of("docs/security.md"), re.DOTALL)
    named = re.findall(r"`([A-Z_]+)`", sentence)
    assert sorted(named) == sorted([*get_env._SHOWN, get_env._SHOWN_PREFIX, *get_env._SECRET_WORDS])


def test_the_readme_names_the_revisions_of_each_era() -> None:
    (row,) = re.findall(r"^\| Revisions \|(.*)\|(.*)\|$", text_of("README.md"), re.MULTILINE)
    for era, cell in zip(Era, row, strict=True):
        assert sorted(cell.replace(",", " ").split()) == sorted(versions_of({era}))


def test_the_changelog_has_a_section_for_this_version() -> None:
    assert re.search(rf"^## {re.escape(__version__)}\b", text_of("CHANGELOG.md"), re.MULTILINE)
