"""What the repository promises about its own files."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from everything_server import __version__
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def project_at(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text())


def listed_files() -> list[str]:
    """What is committed, and what would be: a mistake should show before it is in the history."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # no git, or an unpacked archive: then everything not ignored
        ignored = [".git", *(name.rstrip("/") for name in (ROOT / ".gitignore").read_text().split())]
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        names = {str(path) for path in paths if not any(fnmatch(part, name) for part in path.parts for name in ignored)}
    else:
        names = set(output.split("\0"))
    return sorted(name for name in names if name and (ROOT / name).is_file())


META = project_at(ROOT)
MEMBERS = [ROOT / "core", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
PROJECTS = {folder: project_at(folder)["project"] for folder in MEMBERS}
FILES = listed_files()

LOCK_FILES = re.compile(
    r"""(^|/)(
        uv\.lock | pylock(\.[^/]+)?\.toml | poetry\.lock | pdm\.lock | Pipfile\.lock |
        package-lock\.json | npm-shrinkwrap\.json | yarn\.lock | pnpm-lock\.yaml | bun\.lockb?
    )$""",
    re.VERBOSE,
)

# One letter of each is in brackets, so that this file does not contain what it looks for.
ADDRESSES = re.compile(
    r"""
        [p]ypi\.(org|python\.org) | [p]ythonhosted\.org | [n]pmjs\.(org|com) | [n]pm\.pkg\.github\.com |
        [y]arnpkg\.com | [c]rates\.io | [p]roxy\.golang\.org | [a]naconda\.org |
        //[r]egistry\. | [i]ndex-url | [f]ind-links |
        [h]ttps?://\S+\.(whl|tgz|tar\.[a-z0-9]+|zip)\b | [h]ttps?://\S+/simple(/|\b) | [f]ile:///(opt|srv|mnt)/
    """,
    re.VERBOSE | re.IGNORECASE,
)

# A home that stands for anyone's is an example, not a place on somebody's machine.
MACHINE_PATHS = re.compile(
    r"(?<![\w.~-])/([r]oot|[w]ork|[h]ome/(?!(user|me|you|alice|bob)\b)[\w.-]+|[U]sers/(?!(user|me|you|alice|bob)\b)[\w.-]+)/"
    r"|[A-Z]:\\\\?[U]sers\\"
)


def findings(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs: `file:line: text`."""
    return [
        f"{name}:{number}: {line.strip()[:200]}"
        for name in FILES
        for number, line in enumerate((ROOT / name).read_bytes().decode(errors="ignore").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_lock_file_is_committed() -> None:
    assert [name for name in FILES if LOCK_FILES.search(name)] == []


def test_no_file_holds_the_address_of_a_registry_or_of_a_download() -> None:
    assert findings(ADDRESSES) == []


def test_no_file_holds_a_path_on_somebodys_machine() -> None:
    assert findings(MACHINE_PATHS) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (ADDRESSES, "https://files.python" + "hosted.org/packages/x"),
        (ADDRESSES, "resolved: https://" + "registry.example.com/echo"),
        (ADDRESSES, "--extra-index" + "-url elsewhere"),
        (ADDRESSES, "https" + "://example.com/echo-1.0-py3-none-any.whl"),
        (MACHINE_PATHS, "cd /" + "home/somebody/project"),
        (MACHINE_PATHS, "'/" + "root/.venv/bin/python'"),
    ],
)
def test_the_search_finds_what_it_is_for(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


def test_constraints_are_names_and_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+]+", line)] == []
    names = [re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines]
    assert len(names) == len(set(names))


def test_constraints_fit_what_the_distributions_ask_for() -> None:
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    pinned = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pinned.items()}
    asked = [line for project in PROJECTS.values() for line in project["dependencies"]]
    asked += META["dependency-groups"]["dev"]
    ours = {project["name"] for project in PROJECTS.values()}
    for requirement in map(Requirement, asked):
        if requirement.name in ours or (requirement.marker and not requirement.marker.evaluate()):
            continue
        assert requirement.name in pinned, "run make lock"
        assert requirement.specifier.contains(pinned[requirement.name], prereleases=True), requirement


def test_the_root_distribution_ships_no_code() -> None:
    assert META["tool"]["hatch"]["build"]["targets"]["wheel"] == {"bypass-selection": True}
    assert list(ROOT.glob("*.py")) == []


def test_the_root_distribution_depends_on_every_member_and_on_nothing_else() -> None:
    names = sorted(Requirement(line).name for line in META["project"]["dependencies"])
    assert names == sorted(project["name"] for project in PROJECTS.values())


def test_all_distributions_have_the_same_version() -> None:
    assert {project["version"] for project in (META["project"], *PROJECTS.values())} == {__version__}


@pytest.mark.parametrize("folder", [ROOT, *MEMBERS], ids=lambda folder: folder.name)
def test_dependencies_between_the_distributions_admit_this_version_and_not_the_next_minor(folder: Path) -> None:
    major, minor, *_ = map(int, __version__.split("."))
    ours = {project["name"] for project in PROJECTS.values()}
    for requirement in map(Requirement, project_at(folder)["project"]["dependencies"]):
        if requirement.name in ours:
            assert requirement.specifier.contains(__version__), requirement
            assert not requirement.specifier.contains(f"{major}.{minor + 1}.0"), requirement


@pytest.mark.parametrize("folder", MEMBERS, ids=lambda folder: folder.name)
def test_every_distribution_tells_type_checkers_that_it_is_typed(folder: Path) -> None:
    (package,) = (folder / "src").iterdir()
    assert (package / "py.typed").is_file()


@pytest.mark.parametrize("folder", MEMBERS, ids=lambda folder: folder.name)
def test_every_distribution_carries_the_licence(folder: Path) -> None:
    licence = (ROOT / "LICENSE").read_text()
    assert licence.startswith("MIT License")
    assert (folder / "LICENSE").read_text() == licence
    assert PROJECTS[folder]["license"] == META["project"]["license"] == "MIT"
    assert PROJECTS[folder]["license-files"] == ["LICENSE"]


@pytest.mark.parametrize("folder", MEMBERS, ids=lambda folder: folder.name)
def test_every_distribution_asks_for_the_same_python(folder: Path) -> None:
    assert PROJECTS[folder]["requires-python"] == META["project"]["requires-python"]


def test_the_makefile_installs_every_member() -> None:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")  # a line may go on in the next one
    (members,) = re.findall(r"^MEMBERS := (.*)$", makefile, re.MULTILINE)
    assert sorted(members.split()) == sorted(str(folder.relative_to(ROOT)) for folder in MEMBERS)


def test_the_workspace_coverage_and_the_ban_on_imports_know_every_member() -> None:
    tool = META["tool"]
    packages = {folder: next((folder / "src").iterdir()).name for folder in MEMBERS}
    assert set(tool["uv"]["sources"]) == {project["name"] for project in PROJECTS.values()}
    assert set(tool["coverage"]["run"]["source_pkgs"]) == set(packages.values())
    banned = set(tool["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"])
    assert banned == set(packages.values()) - {"everything_server"}


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert re.search(r"^make test$", script, re.MULTILINE)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
