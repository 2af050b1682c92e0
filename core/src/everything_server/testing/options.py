"""What a test may ask of a server, and whether it can be had."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Literal, Self, cast, get_args

if TYPE_CHECKING:
    from everything_server.testing.clock import FakeClock

TransportName = Literal["memory", "stdio", "sse", "streamable-http"]
EraName = Literal["dual", "legacy", "modern"]

TRANSPORTS: Final[tuple[TransportName, ...]] = get_args(TransportName)
ERAS: Final[tuple[EraName, ...]] = ("legacy", "modern")
EVERY: Final = "every"
"""In place of a transport or an era: each of them that can be had with the other options."""


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """How a server is to be. Each option is optional."""

    transport: TransportName = "memory"
    era: EraName = "dual"
    """What it serves, and its own `client` speaks: both eras, or one of them."""
    plugins: str | None = None
    """What the command line takes after `--plugins`; by default all that are not opt-in."""
    disable: str = ""
    """What the command line takes after `--disable`."""
    page_size: int | None = None
    """Entries on a page of a list; by default there is no limit."""
    seed: int | None = None
    """Makes the same conversation the same from run to run."""
    clock: "Literal['fake', 'instant'] | FakeClock | None" = None
    """`fake` stands still until the test moves it, on `instant` every sleep is over at once; by default real time."""
    session_idle: float = 1800
    """Seconds after which an unused session ends, over Streamable HTTP."""

    @classmethod
    def of(cls, wanted: Mapping[str, Any]) -> Self:
        """The options that a mapping names.

        Raises:
            ValueError: One is not known, has a value that it cannot have, or one that does not go with the others.
        """
        known = [field.name for field in fields(cls)]
        if unknown := sorted(wanted.keys() - set(known)):
            raise ValueError(f"unknown option {', '.join(unknown)}; there are {', '.join(known)}")
        options = cls(**{name: _plain(value) for name, value in wanted.items()})
        if problem := options.problem:
            raise ValueError(problem)
        return options

    @property
    def problem(self) -> str | None:
        """Why there can be no such server; None if there can."""
        if self.transport not in TRANSPORTS:
            return f"transport: there is no {self.transport!r}, only {', '.join(TRANSPORTS)}"
        if self.era not in get_args(EraName):
            return f"era: there is no {self.era!r}, only {', '.join(get_args(EraName))}"
        if self.clock in get_args(Literal["fake", "instant"]) or self.clock is None or not isinstance(self.clock, str):
            return self._mismatch
        return f"clock: there is no {self.clock!r}, only fake, instant, or a clock of your own"

    @property
    def _mismatch(self) -> str | None:
        if self.transport == "sse" and self.era == "modern":
            return "transport, era: sse exists in the legacy era only"
        if self.transport == "stdio" and self.clock is not None:
            return (
                "transport, clock: over stdio the server is a process that your client starts, whose clock nobody else "
                "can move; use another transport, or a seed, with which time is moved by the conversation alone"
            )
        return None


def choices(wanted: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each server that is asked for, where `transport` or `era` names several or is `every`.

    What `every` stands for is what can be had; what is named must be possible with at least one of the others.

    Raises:
        ValueError: Nothing of it can be had.
    """
    transports = _values(wanted, "transport", TRANSPORTS)
    eras = _values(wanted, "era", ERAS)
    possible: list[dict[str, Any]] = []
    problems: dict[str, str] = {}
    for transport, era in product(transports, eras):
        choice = {**wanted, **_given("transport", transport), **_given("era", era)}
        try:
            ServerOptions.of(choice)
        except ValueError as error:
            problems[str(transport)] = str(error)
        else:
            possible.append(choice)
    if wanted.get("transport") != EVERY:
        had = {choice.get("transport") for choice in possible}
        problems = {name: text for name, text in problems.items() if name not in map(str, had)}
        if problems:
            raise ValueError(next(iter(problems.values())))
    if not possible:
        raise ValueError(next(iter(problems.values())))
    yield from possible


def _values(wanted: Mapping[str, Any], name: str, every: Collection[str]) -> list[Any]:
    value = wanted.get(name)
    if value == EVERY:
        return list(every)
    return list(cast("list[Any]", value)) if isinstance(value, list | tuple) else [value]


def _given(name: str, value: str | None) -> dict[str, str]:
    return {} if value is None else {name: value}


def _plain(value: Any) -> Any:
    return ",".join(cast("list[str]", value)) if isinstance(value, list | tuple) else value
