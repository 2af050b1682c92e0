"""How the tests come by programs from npm."""

import os
from pathlib import Path

import pytest
from harness.node import CI_VARIABLES, NodeProject, in_ci, install_packages, require_node


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


def test_a_node_that_is_too_old_counts_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for program in ("node", "npm"):
        path = tmp_path / program
        path.write_text("#!/bin/sh\necho v18.2.0\n", encoding="utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match=r"Node\.js 20 or newer is needed, found v18\.2\.0"):
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
