"""`demo://resource/numbered/…`: so many resources that a list of them has several pages with `--page-size`."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from everything_server import ResourceSpec, hookimpl

URI_PREFIX: Final = "demo://resource/numbered/"
COUNT: Final = 25


def _reader(number: int) -> Callable[[], Awaitable[str]]:
    async def read_numbered() -> str:
        return f"This is resource {number} of {COUNT}."

    return read_numbered


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec]:
    """Declare all of them, in the order of their numbers."""
    for number in range(1, COUNT + 1):
        yield ResourceSpec(
            uri=f"{URI_PREFIX}{number:02}",
            name=f"Numbered Resource {number:02}",
            fn=_reader(number),
            description=f"Number {number} of {COUNT}",
        )
