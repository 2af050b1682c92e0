"""Play the rows of `calls.json` against any server, and say which fail.

    PYTHONPATH=tests python -m wire.check --era both --stdio "everything-server stdio" --only 'echo*'

The last line is `N passed, N failed`. Exit status 0 when all passed, 1 when a row failed, 2 when none was selected.
"""

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from everything_server import Era
from harness.wire import Client, Stdio, clean_environment
from wire.answers import Answerer
from wire.http_clients import Http, Sse
from wire.rows import TABLE, Row, load_rows
from wire.runner import Open, Runner


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    transport = "stdio" if options.stdio else "http" if options.url else "sse"
    eras = list(Era) if options.era == "both" else [Era(options.era)]
    passed = failed = 0
    for era in eras:
        rows = [row for row in load_rows(options.rows) if row.runs_over(transport, era)]
        runner = Runner(era, opener(options), has_statuses=transport == "http")
        try:
            for row in rows:
                if not fnmatchcase(row.id, options.only):
                    continue
                try:
                    runner.run(row)
                except Exception as error:  # whatever a row does to a server must not keep us from the next one
                    failed += 1
                    print(f"FAIL {row.id} ({era}): {error}", flush=True)
                else:
                    passed += 1
                    if options.verbose:
                        print(f"ok   {row.id} ({era})", flush=True)
        finally:
            runner.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0 if passed else 2


def opener(options: argparse.Namespace) -> Open:
    """Opens connections to the server that the options name."""

    def open_connection(row: Row, era: Era, answers: Mapping[str, Answerer]) -> Client:
        client: Client
        common = {"version": row.version(era), "capabilities": row.capabilities(era), "answers": answers}
        if options.stdio:
            client = Stdio(shlex.split(options.stdio), era, env=clean_environment(**row.env), **common)
        elif options.url:
            client = Http(options.url, era, **common)
        else:
            client = Sse(options.sse_url, era, **common)
        return client.start()

    return open_connection


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--era", choices=[*Era, "both"], required=True)
    server = parser.add_mutually_exclusive_group(required=True)
    server.add_argument("--stdio", metavar="COMMAND", help="start COMMAND for each connection")
    server.add_argument("--url", help="the Streamable HTTP endpoint of a running server")
    server.add_argument("--sse-url", help="the HTTP+SSE stream of a running server (legacy era)")
    parser.add_argument("--only", metavar="GLOB", default="*", help="rows whose id matches")
    parser.add_argument("--rows", metavar="FILE", type=Path, default=TABLE)
    parser.add_argument("-v", "--verbose", action="store_true", help="name passing rows too")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
