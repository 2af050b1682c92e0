"""All that the active plugins declare for one era, compiled: immutable, built once per process."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from mcp_types import (
    CompletionsCapability,
    Icon,
    LoggingCapability,
    PromptsCapability,
    ResourcesCapability,
    ServerCapabilities,
    ToolsCapability,
)

from everything_server.capabilities import ROOTS
from everything_server.eras import Era
from everything_server.extensions import ExtensionSpec
from everything_server.manager import Plugin, PluginManager, Status
from everything_server.prompts import CompiledPrompt, compile_prompt
from everything_server.resources import CompiledResource, CompiledTemplate, compile_resource, compile_template
from everything_server.specs import (
    Declaration,
    PromptSpec,
    ResourceSpec,
    ResourceTemplateSpec,
    RouteSpec,
    ToolSpec,
)
from everything_server.tools import CompiledTool, compile_tool


@dataclass(frozen=True)
class Registry:
    """What a server of one era is composed from. Every list is in the order of the plugins' names."""

    era: Era
    tools: Mapping[str, CompiledTool]
    resources: Mapping[str, CompiledResource]
    templates: Mapping[str, CompiledTemplate]
    prompts: Mapping[str, CompiledPrompt]
    extensions: tuple[ExtensionSpec, ...]
    instructions: str
    icons: tuple[Icon, ...] = ()
    """Of the server itself."""

    @cached_property
    def capabilities(self) -> ServerCapabilities:
        """What is advertised: exactly what the active plugins serve."""
        completable = any(entry.spec.completions for entry in (*self.templates.values(), *self.prompts.values()))
        return ServerCapabilities(
            tools=ToolsCapability(list_changed=True) if self.tools else None,
            resources=ResourcesCapability(subscribe=True, list_changed=True) if self.has_resources else None,
            prompts=PromptsCapability(list_changed=True) if self.prompts else None,
            completions=CompletionsCapability() if completable else None,
            logging=LoggingCapability() if self.logs else None,
            extensions={spec.identifier: dict(spec.settings) for spec in self.extensions} or None,
        )

    @property
    def has_resources(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.resources or self.templates)

    @cached_property
    def logs(self) -> bool:
        """Whether any tool sends log messages."""
        return any(tool.spec.logs for tool in self.tools.values())

    @cached_property
    def uses_roots(self) -> bool:
        """Whether any tool works on the client's roots, so that a legacy client's are worth asking for."""
        return any(tool.spec.requires == ROOTS for tool in self.gated_tools)

    @cached_property
    def gated_tools(self) -> tuple[CompiledTool, ...]:
        """The tools that not every client can use."""
        return tuple(tool for tool in self.tools.values() if tool.spec.requires is not None)


class Registries:
    """Both eras' registries; each is compiled when first asked for, and kept.

    Args:
        manager: Has loaded the plugins.
        own_paths: The paths of the transport that will serve, which no plugin's route can have.
    """

    def __init__(self, manager: PluginManager, own_paths: Collection[str] = ()) -> None:
        self.manager = manager
        self._registries: dict[Era, Registry] = {}
        self._drop_conflicts(own_paths)

    def __call__(self, era: Era) -> Registry:
        """The registry of an era; what went wrong in compiling it is said on the log.

        Raises:
            PluginError: Something that was asked for by name cannot be used.
        """
        registry = self.build(era)
        self.manager.check()
        return registry

    def build(self, era: Era) -> Registry:
        """The registry of an era. A plugin with a declaration that cannot be compiled is dropped whole."""
        while (registry := self._registries.get(era)) is None:
            broken = self._compile(era)
            if broken is not None:
                self._registries.clear()  # what the broken plugin gave the other era goes as well
        return registry

    def provisions(self, plugin: Plugin) -> list[str]:
        """What a plugin provides, for people: `tool echo`, `prompt simple-prompt`, …"""
        keys = dict.fromkeys(key for era in Era for item in plugin.declarations[era] for key in _keys(item))
        return [*(f"{kind} {name}" for kind, name in keys), *(f"route {route.path}" for route in plugin.routes)]

    @property
    def routes(self) -> tuple[RouteSpec, ...]:
        """The routes of the active plugins, in the order of the plugins' names."""
        return tuple(route for plugin in self.manager.plugins for route in plugin.routes)

    def _drop_conflicts(self, own_paths: Collection[str]) -> None:
        """Keep the first of two plugins that declare the same thing in one era, and drop the later one whole.

        Checked here because the SDK would keep one of the two and only log it.
        """
        owners: dict[tuple[str, str, str], Plugin | None] = {("", "route", path): None for path in own_paths}
        for plugin in self.manager.plugins:
            keys = [(str(era), *key) for era in Era for item in plugin.declarations[era] for key in _keys(item)]
            keys += [("", "route", route.path) for route in plugin.routes]
            doubles = {key for key in keys if key in owners or keys.count(key) > 1}
            if not doubles:
                owners.update(dict.fromkeys(keys, plugin))
                continue
            era, kind, name = min(doubles)
            owner = owners.get((era, kind, name), plugin)
            if owner is None:
                whose = "the server itself"
            else:
                whose = "itself" if owner is plugin else f"'{owner.name}' ({owner.candidate.origin})"
            self.manager.drop(plugin, Status.CONFLICT, f"{kind} '{name}' is declared by {whose} already")

    def _compile(self, era: Era) -> Plugin | None:
        """Build the registry of an era, or give the plugin that stood in the way, dropped."""
        tools: dict[str, CompiledTool] = {}
        resources: dict[str, CompiledResource] = {}
        templates: dict[str, CompiledTemplate] = {}
        prompts: dict[str, CompiledPrompt] = {}
        extensions: list[ExtensionSpec] = []
        for plugin in self.manager.plugins:
            for declaration in plugin.declarations[era]:
                try:
                    match declaration:
                        case ToolSpec(name=name):
                            tools[name] = compile_tool(declaration, era)
                        case ResourceSpec(uri=uri):
                            resources[uri] = compile_resource(declaration)
                        case ResourceTemplateSpec(uri_template=uri_template):
                            templates[uri_template] = compile_template(declaration)
                        case PromptSpec(name=name):
                            prompts[name] = compile_prompt(declaration)
                        case ExtensionSpec():
                            extensions.append(declaration)
                except Exception as error:  # what an author may do wrong in a signature has no common type
                    _, what = _keys(declaration)[0]
                    reason = f"{what}: {type(error).__name__}: {error}"
                    self.manager.drop(plugin, Status.BROKEN, reason, error)
                    return plugin
        texts = [plugin.instructions[era] for plugin in self.manager.plugins]
        self._registries[era] = Registry(
            era=era,
            tools=MappingProxyType(tools),
            resources=MappingProxyType(resources),
            templates=MappingProxyType(templates),
            prompts=MappingProxyType(prompts),
            extensions=tuple(extensions),
            instructions="\n\n".join(text for text in texts if text),
            icons=tuple(icon for plugin in self.manager.plugins for icon in plugin.icons[era]),
        )
        return None


def _keys(declaration: Declaration) -> list[tuple[str, str]]:
    """The kinds and names under which a declaration must be the only one."""
    match declaration:
        case ToolSpec(name=name):
            return [("tool", name)]
        case ResourceSpec(uri=uri):
            return [("resource", uri)]
        case ResourceTemplateSpec(uri_template=uri_template):
            return [("template", uri_template)]
        case PromptSpec(name=name):
            return [("prompt", name)]
        case ExtensionSpec(identifier=identifier, methods=methods, subscriptions=subscriptions):
            return [
                ("extension", identifier),
                *(("method", binding.method) for binding in methods),
                *(("subscription", subscription.key) for subscription in subscriptions),
            ]
