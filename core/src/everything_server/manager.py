"""Loads the wanted plugins one by one and keeps an outcome for each, so that none is lost silently."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import pluggy
from mcp.shared.extension import validate_extension_identifier
from mcp_types import Icon

from everything_server import hookspecs
from everything_server.discovery import Candidate, discover
from everything_server.eras import Era
from everything_server.errors import PluginError
from everything_server.extensions import ExtensionSpec
from everything_server.requirements import core_conflict
from everything_server.selection import Misfit, Wanted, select
from everything_server.specs import (
    Declaration,
    PromptSpec,
    ResourceSpec,
    ResourceTemplateSpec,
    RouteSpec,
    ToolSpec,
)
from everything_server.version import __version__

logger = logging.getLogger(__name__)

SpecT = TypeVar("SpecT")

_DECLARED_BY = {
    "everything_server_tools": (ToolSpec,),
    "everything_server_resources": (ResourceSpec, ResourceTemplateSpec),
    "everything_server_prompts": (PromptSpec,),
    "everything_server_extensions": (ExtensionSpec,),
}


class Status(StrEnum):
    """What became of a plugin."""

    ACTIVE = "active"
    DISABLED = "disabled"
    INCOMPATIBLE = "incompatible"
    BROKEN = "broken"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"
    """Not a plugin: an item of `--plugins` or `--disable` that fits none."""

    @property
    def is_failure(self) -> bool:
        """Whether something that was wanted is missing."""
        return self not in (Status.ACTIVE, Status.DISABLED)


@dataclass
class Outcome:
    """What became of one candidate, or of one item that fits none."""

    name: str
    status: Status
    reason: str = ""
    candidate: Candidate | None = None
    wanted: Wanted = Wanted.NO
    error: BaseException | None = field(default=None, repr=False)

    @property
    def is_fatal(self) -> bool:
        """Whether its absence stops the server rather than earning a warning.

        It does when its own name was typed, and when the plugin says that it was set up wrongly: then its owner wants
        it, and has made a mistake.
        """
        return self.wanted is Wanted.BY_NAME or isinstance(self.error, PluginError)


@dataclass(frozen=True)
class Plugin:
    """A plugin that is loaded, with what it declared for each era."""

    candidate: Candidate
    declarations: dict[Era, tuple[Declaration, ...]]
    instructions: dict[Era, str]
    icons: dict[Era, tuple[Icon, ...]]
    """Of the server, beside those of its declarations."""
    routes: tuple[RouteSpec, ...]

    @property
    def name(self) -> str:
        """Its name, `group.feature`."""
        return self.candidate.name

    @property
    def eras(self) -> tuple[Era, ...]:
        """The eras in which it declares anything."""
        return tuple(
            era for era in Era if self.declarations[era] or self.instructions[era] or self.icons[era] or self.routes
        )


_HOOKABLE = (FunctionType, MethodType, classmethod, staticmethod)


class _Hooks(pluggy.PluginManager):
    def parse_hookimpl_opts(self, plugin: object, name: str) -> Any:
        """Pass over what cannot be a hook; pluggy's careful look at every name of every module takes a while."""
        if isinstance(plugin, ModuleType) and not isinstance(vars(plugin).get(name), _HOOKABLE):
            return None
        return super().parse_hookimpl_opts(plugin, name)


class PluginManager:
    """Finds, selects, checks, imports and registers plugins. Made by whoever starts a server, never at import.

    Args:
        plugins: Items to select, as typed after `--plugins`; None selects all that are not opt-in.
        disable: Items to leave out, as typed after `--disable`.
        strict: Treat everything that is wrong as if the plugin had been asked for by name.
        candidates: The plugins to choose from; by default those installed.
        core_version: The version that plugins' requirements are checked against.
    """

    def __init__(
        self,
        plugins: Iterable[str] | None = None,
        disable: Iterable[str] = (),
        *,
        strict: bool = False,
        candidates: Iterable[Candidate] | None = None,
        core_version: str = __version__,
    ) -> None:
        self.strict = strict
        self._core_version = core_version
        self._candidates = sorted(discover() if candidates is None else candidates)
        self._selection = select(self._candidates, plugins, disable)
        self._pluggy = _Hooks(hookspecs.PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        self._plugins: dict[str, Plugin] = {}
        self._outcomes: dict[Candidate, Outcome] = {}
        self._said: set[Candidate | str] = set()

    def load(self) -> None:
        """Import and register every wanted plugin; what goes wrong becomes its outcome, nothing is raised."""
        for candidate in self._candidates:
            self._outcomes[candidate] = self._load(candidate, self._selection.wanted[candidate])

    @property
    def outcomes(self) -> list[Outcome]:
        """One for each installed plugin in the order of their names, then one for each item that fits none."""
        return [*self._outcomes.values(), *(_unknown(misfit) for misfit in self._selection.misfits)]

    @property
    def plugins(self) -> list[Plugin]:
        """The active plugins, in the order of their names."""
        return list(self._plugins.values())

    @property
    def anything_by_name(self) -> bool:
        """Whether a failure would have to stop the server, so that all must be known before it starts."""
        return self.strict or any(outcome.is_fatal for outcome in self._outcomes.values())

    def drop(self, plugin: Plugin, status: Status, reason: str, error: BaseException | None = None) -> None:
        """Take a loaded plugin out again, whole."""
        del self._plugins[plugin.name]
        outcome = self._outcomes[plugin.candidate]
        outcome.status, outcome.reason, outcome.error = status, reason, error

    def check(self) -> None:
        """Say on the log what is wrong and was not said yet.

        Raises:
            PluginError: Something that was asked for by name, or anything at all when strict, cannot be used.
        """
        failures = [outcome for outcome in self.outcomes if outcome.status.is_failure]
        fatal = [outcome for outcome in failures if self.strict or outcome.is_fatal]
        if fatal:
            raise PluginError("\n".join(describe(outcome) + self._way_out(outcome) for outcome in fatal))
        for outcome in failures:
            key = outcome.candidate or outcome.name  # two distributions may have failed under one name
            if key in self._said:
                continue
            self._said.add(key)
            others = f"the other {len(self._plugins)} plugins are active"
            silence = f"; to silence this: {self._remedy(outcome)}" if outcome.candidate else ""
            show_traceback = outcome.error is not None and logger.isEnabledFor(logging.INFO)
            logger.warning(
                "%s\n  %s%s", describe(outcome), others, silence, exc_info=outcome.error if show_traceback else None
            )

    def _remedy(self, outcome: Outcome) -> str:
        """What makes a failure go away and nothing else: an option, unless that would take a namesake as well."""
        namesakes = [candidate for candidate in self._candidates if candidate.name == outcome.name]
        if len(namesakes) < 2:
            return f"--disable {outcome.name}"
        return "uninstall all but one of " + ", ".join(candidate.distribution for candidate in namesakes)

    def _way_out(self, outcome: Outcome) -> str:
        return f"\n  to start without it: {self._remedy(outcome)}" if outcome.candidate else ""

    def _load(self, candidate: Candidate, wanted: Wanted) -> Outcome:
        def outcome(status: Status, reason: str = "", error: BaseException | None = None) -> Outcome:
            return Outcome(candidate.name, status, reason, candidate, wanted, error)

        if wanted is Wanted.NO:
            opt_in = candidate.opt_in and "opt-in; to use it: --plugins " + candidate.name
            return outcome(Status.DISABLED, opt_in or "")
        if problem := core_conflict(candidate.requires, self._core_version):
            return outcome(Status.INCOMPATIBLE, problem)
        if taken := self._plugins.get(candidate.name):
            return outcome(Status.CONFLICT, f"its name is taken by {taken.candidate.origin}")
        try:
            module: object = candidate.entry_point.load()
            self._pluggy.register(module, name=candidate.name)
            self._pluggy.check_pending()
            self._check_decorated(module)
            self._plugins[candidate.name] = self._collect(candidate, module)
        except (Exception, SystemExit) as error:  # code of others, which may do anything, exit() included
            with suppress(AssertionError, ValueError):  # not registered, if that is what failed
                self._pluggy.unregister(name=candidate.name)
            reason = str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"
            return outcome(Status.BROKEN, reason, error)
        return outcome(Status.ACTIVE)

    def _check_decorated(self, module: object) -> None:
        """A function that has a hook's name and lacks the decorator would never be called."""
        implemented = {caller.name for caller in self._pluggy.get_hookcallers(module) or ()}
        for hook in vars(hookspecs):
            is_missing = hook.startswith(f"{hookspecs.PROJECT}_") and hook not in implemented
            if is_missing and callable(getattr(module, hook, None)):
                raise TypeError(f"{hook} is not decorated with hookimpl")

    def _collect(self, candidate: Candidate, module: object) -> Plugin:
        """Call each hook of one plugin for each era, so that every declaration has an owner."""
        others = {plugin for plugin in self._pluggy.get_plugins() if plugin is not module}
        declarations: dict[Era, tuple[Declaration, ...]] = {}
        instructions: dict[Era, str] = {}
        icons: dict[Era, tuple[Icon, ...]] = {}
        implemented = {caller.name for caller in self._pluggy.get_hookcallers(module) or ()}
        for era in Era:
            declared: list[Declaration] = []
            for hook, kinds in _DECLARED_BY.items():
                if hook in implemented:
                    results: list[Any] = self._pluggy.subset_hook_caller(hook, others)(era=era)
                    _check_given(results, hook)
                    declared.extend(_checked(item, kinds, hook) for result in results for item in result)
            declarations[era] = tuple(item for item in declared if era in item.eras)
            texts: list[str | None] = []
            if "everything_server_instructions" in implemented:
                texts = self._pluggy.subset_hook_caller("everything_server_instructions", others)(era=era)
            instructions[era] = "\n\n".join(text.strip() for text in texts if text)
            given: list[Iterable[Icon]] = []
            if "everything_server_icons" in implemented:
                given = self._pluggy.subset_hook_caller("everything_server_icons", others)(era=era)
                _check_given(given, "everything_server_icons")
            icons[era] = tuple(Icon.model_validate(icon) for found in given for icon in found)
        routes: list[RouteSpec] = []
        if "everything_server_routes" in implemented:
            listed: list[Any] = self._pluggy.subset_hook_caller("everything_server_routes", others)()
            _check_given(listed, "everything_server_routes")
            routes.extend(_checked(item, RouteSpec, "everything_server_routes") for items in listed for item in items)
        return Plugin(candidate, declarations, instructions, icons, tuple(routes))


def describe(outcome: Outcome) -> str:
    """One line for people: which plugin, whose, what is wrong."""
    if outcome.candidate is None:
        return f"{outcome.name}: {outcome.reason}"
    verb = {Status.CONFLICT: "conflicts"}.get(outcome.status, f"is {outcome.status}")
    return f"plugin '{outcome.name}' ({outcome.candidate.origin}) {verb}: {outcome.reason}"


def _check_given(results: list[Any], hook: str) -> None:
    if not results:  # pluggy leaves out what is None
        raise TypeError(f"{hook} gave None, expected declarations; for none of them, an empty list")


def _checked(declaration: object, kinds: type[SpecT] | tuple[type[SpecT], ...], hook: str) -> SpecT:
    if not isinstance(declaration, kinds):
        expected = " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
        raise TypeError(f"{hook} gave a {type(declaration).__name__}, expected {expected}")
    for name in ("name", "uri", "uri_template", "identifier"):
        value = getattr(declaration, name, "")
        if not isinstance(value, str):
            raise TypeError(f"{hook} gave a {type(declaration).__name__} whose {name} is {value!r}, expected text")
    if isinstance(declaration, ExtensionSpec):
        validate_extension_identifier(declaration.identifier, owner="ExtensionSpec")
    return declaration


def _unknown(misfit: Misfit) -> Outcome:
    wanted = Wanted.BY_NAME if misfit.exact else Wanted.AS_ONE_OF_MANY
    return Outcome(f"{misfit.option} {misfit.item}", Status.UNKNOWN, misfit.problem, wanted=wanted)
