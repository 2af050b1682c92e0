"""The benchmarks run: measured with the least effort, only so that they cannot rot."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks" / "suite").glob("[!_]*.py"))


LEAST = ("--rounds", "1", "--calls", "2", "--extra-tools", "2", "--cold")


def run(*arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False)


def comparisons_in(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What a benchmark has printed, after the line about the environment."""
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert not any(str(place) in done.stdout for place in (ROOT, sys.prefix)), "tells about the machine"
    environment, *comparisons = done.stdout.strip().split("\n\n")
    assert platform.python_version() in environment
    return comparisons


def check_figures(name: str, comparison: str) -> None:
    heading, columns, *lines = comparison.splitlines()
    assert heading.startswith(f"{name}: ")
    assert "rounds: 1," in heading
    assert columns.split() == ["wall", "ratio", "minimum", "ratio", "cpu", "ratio"]
    verdicts = [line for line in lines if " <= " in line]
    rates = [line for line in lines if line.startswith("  requests per second: ")]
    subjects = [line for line in lines if line not in (*verdicts, *rates)]
    assert len(subjects) >= 2
    assert verdicts
    for line in subjects:
        wall, ratio, minimum, ratio_of_minima = line.split()[-6:-2]
        assert float(wall) >= float(minimum) > 0
        assert float(ratio) > 0
        assert float(ratio_of_minima) > 0


@pytest.mark.parametrize("name", [name for name in NAMES if name != "http"])
def test_a_benchmark_runs_and_prints_a_figure_for_every_subject(name: str) -> None:
    comparisons = comparisons_in(run(*LEAST, name))
    assert comparisons
    for comparison in comparisons:
        check_figures(name, comparison)


def test_the_http_benchmark_says_what_it_leaves_out_where_there_is_no_node(tmp_path: Path) -> None:
    without_node = {**os.environ, "PATH": str(tmp_path)}
    modern, legacy = comparisons_in(run(*LEAST, "http", env=without_node))
    check_figures("http", modern)
    assert "requests per second: everything-server " in modern
    assert legacy.startswith("http: not compared with @modelcontextprotocol/server-everything: ")
    assert "Node.js" in legacy


def test_an_unknown_benchmark_is_refused_with_the_names_of_those_there_are() -> None:
    done = run("nonsense")
    assert done.returncode == 2
    assert done.stdout == ""
    assert all(name in done.stderr for name in ("nonsense", *NAMES))
