"""What the compilers of tools, resources and prompts have in common: a function with a declared interface."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from mcp.server.mcpserver.utilities.context_injection import find_context_parameter
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata
from pydantic import ValidationError

from everything_server.context import Context
from everything_server.plain import plain_parameters


class Function:
    """A plugin's function, called with arguments that its own annotations have accepted."""

    def __init__(self, fn: Callable[..., Any], metadata: FuncMetadata | None = None) -> None:
        self._fn = fn
        self._metadata = metadata
        self.context_parameter = find_context_parameter(fn)
        self.plain_parameters = plain_parameters(fn, self.context_parameter)
        """Set if it is certain that the function can be described, so that this can wait until it is needed."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its arguments.

        Raises:
            Exception: It cannot be described; the type depends on what is wrong with it.
        """
        if self.plain_parameters is not None:
            return self.plain_parameters
        return tuple(field.alias or name for name, field in self.metadata.arg_model.model_fields.items())

    @cached_property
    def metadata(self) -> FuncMetadata:
        """The SDK's description of it, which takes a while to make.

        Raises:
            Exception: It cannot be described; the type depends on what is wrong with it.
        """
        skip = () if self.context_parameter is None else (self.context_parameter,)
        return self._metadata or func_metadata(self._fn, skip_names=skip, structured_output=False)

    @cached_property
    def _is_async(self) -> bool:
        return inspect.iscoroutinefunction(self._fn) or inspect.iscoroutinefunction(type(self._fn).__call__)

    def parse(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function.

        Unlike the SDK's `validate_arguments` this never parses a string as JSON: a string stays a string.

        Raises:
            pydantic.ValidationError: An argument does not fit its annotation.
        """
        return self.metadata.arg_model.model_validate(arguments).model_dump_one_level()

    async def call(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Call the function with parsed arguments, and with the context if it wants it."""
        direct = {} if self.context_parameter is None else {self.context_parameter: context}
        return await self.metadata.call_fn(self._fn, self._is_async, dict(arguments), direct)


def is_plain(fn: Callable[..., Any]) -> bool:
    """Whether it is certain that a function can be described, so that this can wait until it is needed."""
    return plain_parameters(fn, find_context_parameter(fn)) is not None


def description_of(fn: Callable[..., Any], description: str | None) -> str | None:
    """What was declared, or else the function's docstring without its indentation."""
    return description if description is not None else inspect.getdoc(fn)


def explain(error: ValidationError) -> list[str]:
    """One `place: problem` for each thing that a validation found wrong, without the values and without links."""
    found = (
        f"{_place(item['loc'])}: {_problem(item['type'], item['msg'])}"
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    )
    return list(dict.fromkeys(found))


def _place(location: Sequence[int | str]) -> str:
    """Where in the params, in the protocol's names: those of models and union members say nothing to a client."""
    parts = [part for part in location if isinstance(part, int) or (part[:1].islower() and part.isidentifier())]
    if parts[:1] == ["params"]:
        parts = parts[1:]
    return ".".join(map(str, parts)) or "params"


def _problem(kind: str, message: str) -> str:
    if kind == "string_unicode":
        return "is no valid Unicode text (it holds a lone surrogate)"
    if kind in ("dict_type", "model_type", "mapping_type"):
        return "must be an object"
    return message[:1].lower() + message[1:]
