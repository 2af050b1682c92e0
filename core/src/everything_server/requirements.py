"""Whether a plugin's distribution can run on this core: judged from its metadata, so nothing of it is imported."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

CORE_DISTRIBUTION: Final = "everything-server-core"

_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(.*)", re.DOTALL)
_RELEASE = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")
_CLAUSE = re.compile(rf"\s*(>=|<=|<|>)\s*({_RELEASE.pattern})\s*")
_COMPARISONS: Final[Mapping[str, Callable[[list[int], list[int]], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
}


def core_conflict(requires: Iterable[str], core_version: str) -> str:
    """Why a distribution with these `Requires-Dist` lines cannot run on this core; empty when it can."""
    for line in requires:
        name = _NAME.match(line)
        if name is None or re.sub(r"[-_.]+", "-", name[1]).lower() != CORE_DISTRIBUTION:
            continue
        if _plainly_met(name[2], core_version):
            continue
        specifier = _specifier_of(line)
        if specifier is not None and not specifier.contains(core_version, prereleases=True):
            return f"needs {CORE_DISTRIBUTION} {specifier}, found {core_version}"
    return ""


def _plainly_met(clauses: str, version: str) -> bool:
    """Whether a plain release is within bounds that are plain releases; False also where that is not all there is.

    Nearly every requirement is met in this way, and to import `packaging` takes two hundredths of start-up.
    """
    found = [_CLAUSE.fullmatch(clause) for clause in clauses.split(",")] if clauses else []
    return _RELEASE.fullmatch(version) is not None and all(
        clause is not None and _COMPARISONS[clause[1]](_numbers(version), _numbers(clause[2])) for clause in found
    )


def _numbers(release: str) -> list[int]:
    """A release in a form that can be compared: zeros at its end say nothing, 1.0 is 1."""
    numbers = [int(number) for number in release.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


def _specifier_of(line: str) -> "SpecifierSet | None":
    """The versions that a requirement asks for; None if it does not apply here."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        return None  # pip has accepted it; it says nothing that can be read about the core
    applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    return requirement.specifier if applies else None
