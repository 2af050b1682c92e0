"""MCP Inspector, the protocol's own tool for looking at servers: its command line, and the server of its web page."""

import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.node import NodeProject, install_packages

GUARD: Final = 120.0
"""Seconds after which it is given up."""


@dataclass(frozen=True)
class Inspector:
    """An installed Inspector."""

    project: NodeProject

    def command(self, *arguments: str) -> list[str]:
        """The command that runs it."""
        return [*self.project.binary("mcp-inspector"), *arguments]

    def environment(self, home: Path, **variables: str) -> dict[str, str]:
        """An environment in which it finds and leaves nothing outside of a folder, and connects to this machine only.

        It keeps what it is told in its user's home and keychain, and does connect through proxies.
        """
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        return {**kept, "HOME": str(home), "MCP_INSPECTOR_SECRET_STORE": "memory", **variables}

    def ask(self, home: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run its command line once."""
        return subprocess.run(
            self.command("--cli", *arguments, "--format", "json"),
            env=self.environment(home),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=GUARD,
            check=False,
        )

    @contextmanager
    def page(self, home: Path, servers: Mapping[str, Mapping[str, str]]) -> Generator[str]:
        """The address of its web page, which offers to connect to some servers, until the block is left."""
        config = home / "servers.json"
        config.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
        port = str(_free_port())
        process = subprocess.Popen(
            self.command("--web", "--config", str(config)),
            env=self.environment(
                home,
                CLIENT_PORT=port,
                MCP_AUTO_OPEN_ENABLED="false",
                MCP_INSPECTOR_API_TOKEN="of-this-test",
                MCP_SANDBOX_PORT="0",
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert process.stdout is not None
        guard = threading.Timer(GUARD, process.kill)
        guard.start()
        with process:
            try:
                said: list[str] = []
                for line in process.stdout:
                    said.append(line)
                    if found := re.search(rf"http://127\.0\.0\.1:{port}\?\S+", line):
                        break
                else:
                    raise AssertionError(f"the page is not served: {''.join(said)}")
                yield found[0]
            finally:
                guard.cancel()
                process.kill()


def install_inspector() -> Inspector:
    """The Inspector, installed into the cache."""
    return Inspector(install_packages("inspector", {"@modelcontextprotocol/inspector": "2.12.0"}, minimum=(22, 19)))


def _free_port() -> int:
    """A port that is free now: this program does not let the system choose."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
