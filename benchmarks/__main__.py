"""Runs the benchmarks that are named, or all, and prints their figures."""

import argparse
import importlib
import pkgutil
import platform
from importlib.metadata import version

from benchmarks import suite
from benchmarks.measurement import Effort

NAMES = sorted(module.name for module in pkgutil.iter_modules(suite.__path__))


def main() -> None:
    """Parse, run, print. A missed requirement is printed, and fails nothing: a busy machine is no fault of the code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure this server beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(NAMES)} (default: all)")
    parser.add_argument("--rounds", type=int, help="how often each subject has its turn (default: the benchmark's own)")
    parser.add_argument("--calls", type=int, help="operations in one turn, where it has many (default: likewise)")
    parser.add_argument("--extra-tools", type=int, default=1000, help="tools of the large registry (default: 1000)")
    parser.add_argument("--cold", action="store_true", help="leave out the turn that does not count")
    arguments = parser.parse_args()
    if strangers := [name for name in arguments.names if name not in NAMES]:
        parser.error(f"no such benchmark: {', '.join(strangers)}; there are {', '.join(NAMES)}")
    effort = Effort(arguments.rounds, arguments.calls, arguments.extra_tools, warms=not arguments.cold)
    distributions = ("everything-server-core", "mcp", "pydantic", "anyio")
    installed = ", ".join(f"{name} {version(name)}" for name in distributions)
    print(f"{platform.python_implementation()} {platform.python_version()}, {installed}", flush=True)
    for name in arguments.names or NAMES:
        benchmark = importlib.import_module(f"{suite.__name__}.{name}")
        for comparison in benchmark.run(effort):
            print(f"\n{name}: {comparison}", flush=True)


if __name__ == "__main__":
    main()
