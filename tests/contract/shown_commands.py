"""What the documents show to be typed: in blocks of `sh` and `console`, and in the configuration of hosts."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVED = ROOT / "plugins" / "resources" / "src" / "everything_server_resources" / "content"
DOCUMENTS = [
    path
    for path in sorted(
        {*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/**/README.md"), *SERVED.glob("*.md")}
    )
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
]

PROGRAMS = ("everything-server", "calculator-server")


@dataclass(frozen=True)
class Shown:
    """A command line."""

    words: tuple[str, ...]
    output: str = ""
    """What a `console` block shows below it; `…` stands for anything."""

    @property
    def settings(self) -> dict[str, str]:
        """The variables that are set in front of the command."""
        return dict(word.split("=", 1) for word in self.words[: self._settings])

    @property
    def command(self) -> tuple[str, ...]:
        """The program, without its folder, and its arguments."""
        program, *arguments = self.words[self._settings :]
        return (program.rpartition("/")[2] if program.endswith(PROGRAMS) else program, *arguments)

    @property
    def _settings(self) -> int:
        return next(number for number, word in enumerate(self.words) if not re.match(r"[A-Z_]+=", word))

    def __str__(self) -> str:
        return shlex.join(self.words)


def shown_in(path: Path) -> list[Shown]:
    """The commands of a document, in its order."""
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(sh|console|json)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [shown for kind, block in blocks for shown in _READERS[kind](block)]


def all_shown() -> list[Shown]:
    """The commands of all documents, each once."""
    return list(dict.fromkeys(shown for path in DOCUMENTS for shown in shown_in(path)))


def server_within(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The command of a server in the command of a host that is told of it; after `--` the host's own may go on."""
    if words[0] not in ("claude", "npx"):
        return None
    starts = [number for number, word in enumerate(words) if word in PROGRAMS]
    if not starts:
        return None
    command = words[starts[0] :]
    return command[: command.index("--")] if "--" in command else command


def _typed(block: str) -> Iterator[Shown]:
    for line in block.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            yield Shown(tuple(words))


def _dialogue(block: str) -> Iterator[Shown]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        # A command goes on in the next line behind a backslash, and while a quote is open.
        lines = part.replace("\\\n", " ").splitlines()
        for count in range(1, len(lines) + 1):
            try:
                words = shlex.split("\n".join(lines[:count]))
            except ValueError:
                continue
            yield Shown(tuple(words), "\n".join(lines[count:]).strip())
            break
        else:
            raise AssertionError(f"a quote is not closed: {part}")


def _configured(block: str) -> Iterator[Shown]:
    (servers,) = json.loads(block).values()
    for entry in servers.values():
        if "command" in entry:
            settings = [f"{name}={value}" for name, value in entry.get("env", {}).items()]
            yield Shown((*settings, entry["command"], *entry["args"]))


_READERS = {"sh": _typed, "console": _dialogue, "json": _configured}
