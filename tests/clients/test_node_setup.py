"""How the tests come by programs from npm."""

import json
import os
import platform
from pathlib import Path

import pytest
from harness import node
from harness.node import CI_VARIABLES, Node, NodeProject, in_ci, install_packages, require_node


@pytest.fixture
def without_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("without_node")
def test_without_node_a_test_is_skipped_and_says_why() -> None:
    with pytest.raises(pytest.skip.Exception, match=r"Node\.js with npm is not installed"):
        require_node()


@pytest.mark.usefixtures("without_node")
@pytest.mark.parametrize("variable", CI_VARIABLES)
def test_without_node_a_test_fails_in_ci(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    with pytest.raises(pytest.fail.Exception, match="in CI nothing is skipped"):
        require_node()


@pytest.mark.parametrize(
    ("value", "expected"), [("1", True), ("true", True), ("", False), ("0", False), ("False", False)]
)
def test_a_variable_that_says_no_is_not_ci(value: str, expected: bool) -> None:
    assert in_ci({"CI": value}) is expected


@pytest.fixture
def old_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The machine has a Node.js and npm, but not of this year."""
    for program in ("node", "npm"):
        path = tmp_path / program
        path.write_text("#!/bin/sh\necho v18.2.0\n", encoding="utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(node, "CACHE", tmp_path / "cache")


@pytest.mark.usefixtures("old_node")
def test_a_node_that_is_new_enough_is_taken(tmp_path: Path) -> None:
    assert require_node((18, 2)) == Node(str(tmp_path / "node"), (str(tmp_path / "npm"),))


@pytest.mark.usefixtures("old_node")
def test_a_node_that_is_too_old_is_left_aside_for_a_newer_one_from_npm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "NEWER_NODE", {(platform.system(), platform.machine()): ("newer-node", "24.1.2")})

    def install(folder: Path, installed: Node) -> None:
        manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        assert manifest["dependencies"] == {"newer-node": "24.1.2", **node.NEWER_NPM}
        assert installed == require_node((18, 2))
        binary = folder / "node_modules" / "newer-node" / "bin" / "node"
        binary.parent.mkdir(parents=True)
        binary.write_text("#!/bin/sh\necho v24.1.2\n", encoding="utf-8")
        binary.chmod(0o755)

    monkeypatch.setattr(node, "_npm_install", install)
    newer = require_node((20,))
    packages = node.CACHE / "newer-node" / "node_modules"
    program = str(packages / "newer-node" / "bin" / "node")
    assert newer == Node(program, (program, str(packages / "npm" / "bin" / "npm-cli.js")))
    assert require_node((20,)) == newer  # from the cache


@pytest.mark.usefixtures("old_node")
def test_a_node_that_is_too_old_counts_as_none_where_npm_has_no_newer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "NEWER_NODE", {})
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match=r"Node\.js 20 or newer is needed, found 18\.2\.0, and npm has no"):
        require_node((20,))


@pytest.mark.usefixtures("old_node")
def test_a_newer_node_that_does_not_run_here_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "NEWER_NODE", {(platform.system(), platform.machine()): ("newer-node", "24.1.2")})
    monkeypatch.setattr(node, "_npm_install", lambda folder, installed: None)
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="the one from npm does not run here"):
        require_node((20,))


def test_a_range_of_versions_is_refused() -> None:
    with pytest.raises(ValueError, match="pins no exact version of inspector"):
        install_packages("never-installed", {"inspector": "^1.0.0"})


def test_a_binary_of_a_package_is_run_by_node_itself(tmp_path: Path) -> None:
    (tmp_path / "node_modules" / ".bin").mkdir(parents=True)
    program = tmp_path / "node_modules" / "program.js"
    program.touch()
    (tmp_path / "node_modules" / ".bin" / "program").symlink_to(program)
    assert NodeProject(tmp_path, "node").binary("program") == ["node", str(program.resolve())]
