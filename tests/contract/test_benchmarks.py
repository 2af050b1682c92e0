"""The benchmarks run: measured with the least effort, only so that they cannot rot."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks" / "suite").glob("[!_]*.py"))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs_and_prints_a_figure_for_every_subject(name: str) -> None:
    done = run("--rounds", "1", "--calls", "2", "--extra-tools", "2", name)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert not any(str(place) in done.stdout for place in (ROOT, sys.prefix)), "tells about the machine"
    environment, *comparisons = done.stdout.strip().split("\n\n")
    assert platform.python_version() in environment
    assert comparisons
    for comparison in comparisons:
        heading, columns, *lines = comparison.splitlines()
        assert heading.startswith(f"{name}: ")
        assert "rounds: 1," in heading
        assert columns.split() == ["wall", "ratio", "minimum", "ratio", "cpu", "ratio"]
        verdicts = [line for line in lines if " <= " in line]
        subjects = [line for line in lines if " <= " not in line]
        assert len(subjects) >= 2
        assert verdicts
        for line in subjects:
            wall, ratio, minimum, ratio_of_minima = line.split()[-6:-2]
            assert float(wall) >= float(minimum) > 0
            assert float(ratio) > 0
            assert float(ratio_of_minima) > 0


def test_an_unknown_benchmark_is_refused_with_the_names_of_those_there_are() -> None:
    done = run("nonsense")
    assert done.returncode == 2
    assert done.stdout == ""
    assert all(name in done.stderr for name in ("nonsense", *NAMES))
