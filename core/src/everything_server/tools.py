"""Turns a declared tool into what `tools/list` shows and `tools/call` runs, under the very same schema."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pydantic_core
from jsonschema_rs import Draft202012Validator
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.mcpserver.resolve import resolve_arguments
from mcp.server.mcpserver.tools import Tool as SDKTool
from mcp.shared.inbound import x_mcp_header_map
from mcp_types import CallToolResult, InputRequiredResult, TextContent, Tool
from pydantic import ValidationError

from everything_server.context import Context
from everything_server.eras import Era
from everything_server.errors import InvalidArgumentError, MCPError, ToolError
from everything_server.extensions import ExtensionResult
from everything_server.functions import Function, description_of, explain, is_plain
from everything_server.schemas import MASK, problems_in
from everything_server.specs import ToolSpec

logger = logging.getLogger(__name__)

ToolResult = CallToolResult | InputRequiredResult | ExtensionResult


@dataclass(frozen=True)
class CompiledTool:
    """A tool of one era. What takes long to derive from its function is derived when first needed, and kept."""

    spec: ToolSpec
    era: Era
    _entry: Tool
    """As `tools/list` shows it, but without the schemas."""

    @cached_property
    def wire(self) -> Tool:
        """As `tools/list` shows it."""
        output_schema = self._sdk_tool.output_schema
        if output_schema is not None and self._wraps and self.era is Era.MODERN:
            definitions = {key: value for key, value in output_schema.items() if key == "$defs"}
            output_schema = {**output_schema["properties"]["result"], **definitions}
        return self._entry.model_copy(update={"input_schema": self._input_schema, "output_schema": output_schema})

    @cached_property
    def mirrors_arguments(self) -> bool:
        """Whether a client sends any of its arguments as a header too (2026-07-28 server/tools, x-mcp-header)."""
        return bool(x_mcp_header_map(self.wire.input_schema))

    @cached_property
    def _sdk_tool(self) -> SDKTool:
        spec = self.spec
        return SDKTool.from_function(spec.fn, name=spec.name, structured_output=spec.structured)

    @cached_property
    def _input_schema(self) -> dict[str, Any]:
        derived = self._sdk_tool.parameters
        if self.spec.input_schema is None:
            return {**derived, "additionalProperties": False}
        _check_schema(self.spec, {*derived.get("properties", ())})
        return dict(self.spec.input_schema)

    @cached_property
    def _function(self) -> Function:
        return Function(self.spec.fn, self._sdk_tool.fn_metadata)

    @cached_property
    def _schema(self) -> Draft202012Validator:
        return Draft202012Validator(self.wire.input_schema, mask=MASK)

    @property
    def _wraps(self) -> bool:
        """Whether the SDK wraps what the function returns, since it is no object."""
        return self._sdk_tool.fn_metadata.wrap_output

    def complete(self) -> None:
        """Derive everything now.

        Raises:
            Exception: The function's signature cannot be described; the type depends on what is wrong with it.
        """
        _ = self._schema, self.mirrors_arguments

    async def call(self, arguments: Mapping[str, Any], context: Context) -> ToolResult:
        """Check the arguments against the published schema, run the tool, and shape its result.

        Whatever goes wrong inside is a result with `isError` (2026-07-28 server/tools, Error Handling); the text of an
        unexpected exception stays on the log.

        Raises:
            MCPError: The tool chose to answer with a protocol error.
        """
        problems = problems_in(self._schema, arguments, "argument of this tool")
        if problems:
            return self._refuse(problems)
        try:
            parsed = self._function.parse(arguments)
        except ValidationError as error:  # what JSON Schema cannot say, such as a string that is no Unicode
            return self._refuse(explain(error))
        try:
            return self._shape(await self._run(parsed, context))
        except MCPError:
            raise
        except InvalidArgumentError as error:
            return self._refuse([str(error)])
        except (ToolError, ResourceError) as error:
            return error_result(str(error))
        except (Exception, SystemExit):  # code of others, which may do anything, exit() included
            logger.exception("tool %r raised", self.spec.name)
            return error_result(f"Error executing tool {self.spec.name}")

    async def _run(self, arguments: dict[str, Any], context: Context) -> Any:
        if self._sdk_tool.resolved_params:
            tool = self._sdk_tool
            resolved = await resolve_arguments(tool.resolved_params, tool.resolver_plans, arguments, context)
            if isinstance(resolved, InputRequiredResult):
                return resolved
            arguments = {**arguments, **resolved}
        return await self._function.call(arguments, context)

    def _shape(self, result: Any) -> ToolResult:
        if isinstance(result, ExtensionResult):
            return result
        shaped = self._sdk_tool.fn_metadata.convert_result(result)
        if not self.spec.structured or isinstance(result, CallToolResult) or isinstance(shaped, InputRequiredResult):
            return shaped
        value = shaped.structured_content
        natural = value["result"] if self._wraps else value
        text = pydantic_core.to_json(natural).decode()
        # 2025-11-25 allows only objects as structured content, 2026-07-28 any value (server/tools, Structured Content).
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=value if self.era is Era.LEGACY else natural,
        )

    def _refuse(self, problems: list[str]) -> CallToolResult:
        listed = "".join(f"\n- {problem}" for problem in problems)
        return error_result(f"Invalid arguments for tool {self.spec.name}:{listed}")


def compile_tool(spec: ToolSpec, era: Era) -> CompiledTool:
    """Build a tool's entry, and derive its schemas from its function unless it is certain that this can wait.

    Raises:
        Exception: The function's signature cannot be described; the type depends on what is wrong with it.
    """
    tool = CompiledTool(
        spec=spec,
        era=era,
        _entry=Tool(
            name=spec.name,
            title=spec.title,
            description=description_of(spec.fn, spec.description) or None,
            input_schema={"type": "object"},
            annotations=spec.annotations,
            icons=list(spec.icons) or None,
            _meta=dict(spec.meta) if spec.meta is not None else None,
        ),
    )
    if spec.structured or spec.input_schema is not None or not is_plain(spec.fn):
        tool.complete()
    return tool


def _check_schema(spec: ToolSpec, parameters: set[str]) -> None:
    """A declared schema must describe the very arguments that the function takes."""
    schema = spec.input_schema or {}
    if schema.get("type") != "object":  # 2026-07-28 server/tools, Tool
        raise TypeError(f"the input schema of tool {spec.name!r} is not of type object")
    if parameters != {*schema.get("properties", ())}:
        raise TypeError(f"the input schema of tool {spec.name!r} does not have its function's parameters as properties")


def error_result(text: str) -> CallToolResult:
    """A result that tells the client's model what went wrong."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
