"""What one server instance offers: its registry, and what features have added to it while it ran."""

from collections.abc import Mapping
from typing import Literal, TypeVar

from mcp_types import ClientCapabilities, InputRequiredResult, ReadResourceResult

from everything_server.capabilities import satisfies
from everything_server.context import Context
from everything_server.errors import ResourceNotFoundError, resource_not_found
from everything_server.prompts import CompiledPrompt, compile_prompt
from everything_server.registry import Registry
from everything_server.resources import CompiledResource, compile_resource
from everything_server.specs import PromptSpec, ResourceSpec, ToolSpec
from everything_server.tools import CompiledTool, compile_tool

T = TypeVar("T")


class Additions:
    """What was added at run time: one of these for each legacy connection, and one for all modern instances."""

    def __init__(self) -> None:
        self.tools: dict[str, CompiledTool] = {}
        self.resources: dict[str, CompiledResource] = {}
        self.prompts: dict[str, CompiledPrompt] = {}


class Catalogue:
    """Everything an instance lists and serves; the registry itself never changes."""

    def __init__(self, registry: Registry, additions: Additions) -> None:
        self._registry = registry
        self._additions = additions

    @property
    def instructions(self) -> str:
        """The instructions that clients of this era are given."""
        return self._registry.instructions

    @property
    def logs(self) -> bool:
        """Whether logging is served."""
        return self._registry.logs

    def serves(self, kind: Literal["tools", "resources", "prompts"]) -> bool:
        """Whether there is a list of this kind, to which something could be added."""
        match kind:
            case "tools":
                return bool(self._registry.tools)
            case "resources":
                return self._registry.has_resources
            case "prompts":
                return bool(self._registry.prompts)

    def serves_extension(self, identifier: str) -> bool:
        """Whether a protocol extension is served; the legacy era has none."""
        return any(spec.identifier == identifier for spec in self._registry.extensions)

    def add(self, declaration: ToolSpec | ResourceSpec | PromptSpec) -> None:
        """Offer something more from now on; one that was added under its name before is replaced.

        Raises:
            ValueError: A plugin declares that name already.
        """
        match declaration:
            case ToolSpec(name=name):
                _free(self._registry.tools, name)
                self._additions.tools[name] = compile_tool(declaration, self._registry.era)
            case ResourceSpec(uri=uri):
                _free(self._registry.resources, uri)
                self._additions.resources[uri] = compile_resource(declaration)
            case PromptSpec(name=name):
                _free(self._registry.prompts, name)
                self._additions.prompts[name] = compile_prompt(declaration)

    def remove(self, declaration: ToolSpec | ResourceSpec | PromptSpec) -> bool:
        """Take back what was added under the name of `declaration`; False when nothing was."""
        match declaration:
            case ToolSpec(name=name):
                return self._additions.tools.pop(name, None) is not None
            case ResourceSpec(uri=uri):
                return self._additions.resources.pop(uri, None) is not None
            case PromptSpec(name=name):
                return self._additions.prompts.pop(name, None) is not None

    def tools(self) -> list[CompiledTool]:
        """All tools, in a stable order."""
        return [*self._registry.tools.values(), *self._additions.tools.values()]

    def tools_for(self, declared: ClientCapabilities | None) -> list[CompiledTool]:
        """The tools that a legacy client with these capabilities is shown."""
        return [tool for tool in self.tools() if tool.spec.requires is None or satisfies(declared, tool.spec.requires)]

    def tool(self, name: str) -> CompiledTool | None:
        """A tool by its name."""
        return self._registry.tools.get(name) or self._additions.tools.get(name)

    def resources(self) -> list[CompiledResource]:
        """All resources with a URI of their own, in a stable order."""
        return [*self._registry.resources.values(), *self._additions.resources.values()]

    def resource(self, uri: str) -> CompiledResource | None:
        """A resource by its URI."""
        return self._registry.resources.get(uri) or self._additions.resources.get(uri)

    def prompts(self) -> list[CompiledPrompt]:
        """All prompts, in a stable order."""
        return [*self._registry.prompts.values(), *self._additions.prompts.values()]

    def prompt(self, name: str) -> CompiledPrompt | None:
        """A prompt by its name."""
        return self._registry.prompts.get(name) or self._additions.prompts.get(name)

    async def read(self, uri: str, context: Context) -> ReadResourceResult | InputRequiredResult:
        """The contents of a resource: the one at that URI, else the first template that knows it.

        Raises:
            MCPError: The era's error for an unknown resource.
        """
        try:
            if resource := self.resource(uri):
                return await resource.read(context)
            for template in self._registry.templates.values():
                variables = template.match(uri)
                if variables is not None:
                    return await template.read(uri, variables, context)
        except ResourceNotFoundError:
            raise resource_not_found(uri, self._registry.era) from None
        raise resource_not_found(uri, self._registry.era)

    async def read_resource(self, uri: str, context: Context) -> ReadResourceResult:
        """The contents of a resource for one of our own functions, which cannot answer a question."""
        result = await self.read(uri, Context(context.request_context, uri=uri))
        if isinstance(result, InputRequiredResult):
            raise resource_not_found(uri, self._registry.era)
        return result


def _free(declared: Mapping[str, object], name: str) -> None:
    if name in declared:
        raise ValueError(f"{name!r} is declared by a plugin; only what was added can be replaced")
