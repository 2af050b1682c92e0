"""Finds plugins in the metadata of installed distributions, importing none of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import metadata

GROUP = "everything_server.plugins"
"""Entry points here are plugins: `"group.feature" = "module"`."""

OPT_IN_GROUP = "everything_server.opt_in"
"""Entry points here mark plugins that are active only when asked for: a plugin's name or a whole group's."""


@dataclass(frozen=True, order=True)
class Candidate:
    """A plugin that is installed; whether it can be used is not known yet."""

    name: str
    distribution: str
    version: str
    entry_point: metadata.EntryPoint = field(compare=False)
    requires: tuple[str, ...] = field(compare=False, default=())
    """The `Requires-Dist` lines of its distribution."""
    opt_in: bool = field(compare=False, default=False)

    @property
    def group(self) -> str:
        """`tools` of `tools.echo`."""
        return self.name.partition(".")[0]

    @property
    def feature(self) -> str:
        """`echo` of `tools.echo`."""
        return self.name.partition(".")[2]

    @property
    def origin(self) -> str:
        """Whose it is: distribution and version."""
        return f"{self.distribution} {self.version}"


def discover(
    group: str = GROUP, opt_in_group: str = OPT_IN_GROUP, distributions: Iterable[metadata.Distribution] | None = None
) -> list[Candidate]:
    """All plugins in `group`, sorted by name, then distribution.

    A distribution that is on the path twice (an editable install beside a wheel, say) counts once, the first wins, as
    it does for imports.
    """
    found: dict[tuple[str, str], Candidate] = {}
    for distribution in metadata.distributions() if distributions is None else distributions:
        entry_points = distribution.entry_points
        plugins = [entry_point for entry_point in entry_points if entry_point.group == group]
        if not plugins:
            continue
        description = distribution.metadata  # parsed anew each time it is asked for
        owner = description["Name"]
        if not owner:
            continue  # the remains of an uninstall that was interrupted: nobody can say whose they are
        requires = tuple(description.get_all("Requires-Dist") or ())
        opt_in = {entry_point.name for entry_point in entry_points if entry_point.group == opt_in_group}
        for entry_point in plugins:
            found.setdefault(
                (entry_point.name, owner),
                Candidate(
                    name=entry_point.name,
                    distribution=owner,
                    version=description["Version"],
                    entry_point=entry_point,
                    requires=requires,
                    opt_in=not opt_in.isdisjoint({entry_point.name, entry_point.name.partition(".")[0]}),
                ),
            )
    return sorted(found.values())
