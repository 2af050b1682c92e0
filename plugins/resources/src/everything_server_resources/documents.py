"""`demo://resource/static/document/…`: documents about this server."""

from collections.abc import Awaitable, Callable, Iterator
from importlib.resources import files
from typing import Final

from everything_server import CacheHint, Context, ResourceSpec, hookimpl

URI_PREFIX: Final = "demo://resource/static/document/"
MIME_TYPE: Final = "text/markdown"

DOCUMENTS: Final = {
    "architecture.md": "How the server is put together: layers, registries, factories.",
    "extension.md": "How a plugin adds a feature, in two files.",
    "features.md": "Every tool, resource and prompt, and what it exercises.",
    "how-it-works.md": "What happens to a request, in each era.",
    "startup.md": "What happens from the command line to the first answer.",
    "structure.md": "Where things are in the repository.",
}
"""The files of this package, and what they are about."""

_HOUR: Final = CacheHint(ttl_ms=3_600_000, scope="public")


def _reader(name: str) -> Callable[[], Awaitable[str]]:
    async def read_document() -> str:
        return files("everything_server_resources").joinpath("content", name).read_text(encoding="utf-8")

    return read_document


async def read_instructions(ctx: Context) -> str:
    """What this server tells a model about itself, put together from its active plugins."""
    instructions = ctx.server.features.instructions
    return f"# Instructions\n\n{instructions or 'The active plugins have nothing to say.'}\n"


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec]:
    """Declare each document; `instructions.md` is made from the server that it is read from."""
    for name, description in DOCUMENTS.items():
        yield _document(name, _reader(name), description)
    yield _document("instructions.md", read_instructions)


def _document(name: str, read: Callable[..., Awaitable[str]], description: str | None = None) -> ResourceSpec:
    return ResourceSpec(
        uri=URI_PREFIX + name, name=name, fn=read, description=description, mime_type=MIME_TYPE, cache=_HOUR
    )


@hookimpl
def everything_server_instructions() -> str:
    """Point to the documents."""
    return f"Documents about this server are at {URI_PREFIX}features.md and beside it; read that one first."
