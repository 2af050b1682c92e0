"""Each plugin has a module of its own and tests of its own, at the places where one looks for them."""

import ast
import tomllib
from pathlib import Path

import pytest
from everything_server.discovery import GROUP, discover

ROOT = Path(__file__).parents[2]
PROJECTS = {
    project.parent: tomllib.loads(project.read_text())["project"]
    for project in sorted(ROOT.glob("plugins/*/pyproject.toml"))
}
PLUGINS = {
    name: (folder, module)
    for folder, project in PROJECTS.items()
    for name, module in project.get("entry-points", {}).get(GROUP, {}).items()
}
"""Every plugin of this repository: the folder of its distribution, and its module."""


def module_of(name: str) -> Path:
    folder, module = PLUGINS[name]
    return folder.joinpath("src", *module.split(".")).with_suffix(".py")


def path_of_tests(name: str) -> Path:
    folder, _ = PLUGINS[name]
    return ROOT / "tests" / "plugins" / folder.name / f"test_{module_of(name).name}"


def test_every_distribution_under_plugins_has_plugins() -> None:
    assert {folder for folder, _ in PLUGINS.values()} == set(PROJECTS)


@pytest.mark.parametrize("name", PLUGINS)
def test_every_plugin_is_a_module_named_after_its_feature(name: str) -> None:
    group, separator, feature = name.partition(".")
    assert group
    assert separator
    assert module_of(name).is_file()
    assert module_of(name).stem == feature.replace("-", "_")


@pytest.mark.parametrize("name", PLUGINS)
def test_every_plugin_has_tests_at_the_mirrored_place(name: str) -> None:
    path = path_of_tests(name)
    assert path.is_file(), f"plugin {name} has no tests: {path.relative_to(ROOT)} is missing"
    text = path.read_text()
    assert name in text, f"{path.relative_to(ROOT)} never says that it is about {name}"
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert any(function.name.startswith("test_") for function in functions)


def offered_by(folder: Path) -> set[Path]:
    """The modules that a distribution's own package imports, and so offers to other distributions."""
    [init] = folder.glob("src/*/__init__.py")
    imported = [node.module for node in ast.walk(ast.parse(init.read_text())) if isinstance(node, ast.ImportFrom)]
    return {folder.joinpath("src", *(name or "").split(".")).with_suffix(".py") for name in imported}


def commands_of(folder: Path) -> set[Path]:
    """The modules of a distribution's console commands."""
    scripts = PROJECTS[folder].get("scripts", {})
    return {
        folder.joinpath("src", *target.partition(":")[0].split(".")).with_suffix(".py") for target in scripts.values()
    }


def test_every_module_beside_plugins_is_a_command_or_shared_or_offered_to_others() -> None:
    modules = {path for folder in PROJECTS for path in folder.glob("src/*/**/*.py") if path.name != "__init__.py"}
    shared = {path for path in modules if path.parent.name == "common"}
    for folder in PROJECTS:
        shared |= offered_by(folder) | commands_of(folder)
    assert modules - shared == {module_of(name) for name in PLUGINS}


def test_what_is_installed_is_what_the_checkout_declares() -> None:
    ours = {project["name"] for project in PROJECTS.values()}
    installed = {candidate.name for candidate in discover() if candidate.distribution in ours}
    assert installed == set(PLUGINS), "the environment is out of date: rm .venv/.installed and run make init"
