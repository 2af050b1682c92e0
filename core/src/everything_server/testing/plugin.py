"""The pytest plugin: the fixture `everything` and the marker of that name.

pytest imports this module whether it is used or not, so it imports nothing that has to be waited for.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from everything_server.testing.running import RunningServer

NAME = "everything"
NUMBERS = {"page_size": int, "seed": int, "session_idle": float}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options for all servers of a test run, in the configuration of pytest."""
    parser.addini(NAME, "options of the fixture `everything`, one a line, as transport=stdio", "linelist", [])


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker."""
    config.addinivalue_line(
        "markers",
        f"{NAME}(transport=…, era=…, plugins=…, disable=…, page_size=…, seed=…, clock=…, session_idle=…): "
        "the server that the fixture of this name gives; the marker that is closest to a test decides each option",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each transport and era that it asks for."""
    if NAME not in metafunc.fixturenames:
        return
    from everything_server.testing.options import choices

    wanted = _wanted(metafunc.definition)
    try:
        found = list(choices(wanted))
    except ValueError as error:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {NAME}: {error}") from None
    varied = [name for name in ("transport", "era") if len({choice.get(name) for choice in found}) > 1]
    if varied:
        ids = ["-".join(str(choice[name]) for name in varied) for choice in found]
        metafunc.parametrize(NAME, found, indirect=True, ids=ids)


@pytest.fixture
def everything(request: pytest.FixtureRequest) -> "Iterator[RunningServer]":
    """An MCP server for this test alone, as its markers ask for; in memory unless they say otherwise."""
    from everything_server.testing.running import running_server

    with running_server(**getattr(request, "param", None) or _wanted(request.node)) as server:
        yield server


def _wanted(item: pytest.Item | Any) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    for line in item.config.getini(NAME):
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals:
            raise pytest.UsageError(f"{NAME}: {line!r} is not of the form option=value")
        try:
            wanted[name] = NUMBERS.get(name, str)(value)
        except ValueError:
            raise pytest.UsageError(f"{NAME}: {name}: {value!r} is no number") from None
    for marker in reversed(list(item.iter_markers(NAME))):
        if marker.args:
            raise pytest.UsageError(f"{item.nodeid}: {NAME}: options have to be named, as in transport='stdio'")
        wanted |= marker.kwargs
    return wanted
