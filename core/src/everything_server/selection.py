"""Which plugins are wanted: what `--plugins` and `--disable` mean."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase

from everything_server.discovery import Candidate


class Wanted(Enum):
    """How a plugin came to be wanted, which decides what happens when it cannot be used."""

    NO = "no"
    """Not selected, or disabled."""
    AS_ONE_OF_MANY = "as one of many"
    """By default, a group or a glob: the others go on without it."""
    BY_NAME = "by name"
    """Its own name was typed: going on without it would be wrong."""


@dataclass(frozen=True)
class Misfit:
    """An item of a list that fits no plugin, or more than one where one was meant."""

    option: str
    item: str
    problem: str
    exact: bool
    """It was no glob, so that a plugin of that name was expected."""


@dataclass(frozen=True)
class Selection:
    """What a list of items picks out of the installed plugins."""

    wanted: dict[Candidate, Wanted]
    misfits: tuple[Misfit, ...]


def split_items(values: Iterable[str]) -> list[str]:
    """The items of comma-separated, repeated values, in order; blanks do not count."""
    return [item for value in values for item in (part.strip() for part in value.split(",")) if item]


def select(candidates: Sequence[Candidate], plugins: Iterable[str] | None, disable: Iterable[str] = ()) -> Selection:
    """Apply `plugins` (None: every one that is not opt-in), then `disable`, which wins.

    An item is a group, a plugin's name, a glob over names, or a feature name that occurs in one group only.
    """
    misfits: list[Misfit] = []
    wanted = dict.fromkeys(candidates, Wanted.NO)
    if plugins is None:
        wanted.update((candidate, Wanted.AS_ONE_OF_MANY) for candidate in candidates if not candidate.opt_in)
    else:
        for item in split_items(plugins):
            matches, how = _match(candidates, "--plugins", item, misfits)
            for candidate in matches:
                if wanted[candidate] is not Wanted.BY_NAME:
                    wanted[candidate] = how
    for item in split_items(disable):
        matches, _ = _match(candidates, "--disable", item, misfits)
        wanted.update((candidate, Wanted.NO) for candidate in matches)
    return Selection(wanted, tuple(misfits))


def _match(
    candidates: Sequence[Candidate], option: str, item: str, misfits: list[Misfit]
) -> tuple[list[Candidate], Wanted]:
    if any(character in item for character in "*?["):
        matches = [candidate for candidate in candidates if fnmatchcase(candidate.name, item)]
        if not matches:
            misfits.append(Misfit(option, item, "fits no installed plugin", exact=False))
        return matches, Wanted.AS_ONE_OF_MANY
    if named := [candidate for candidate in candidates if candidate.name == item]:
        return named, Wanted.BY_NAME
    if in_group := [candidate for candidate in candidates if candidate.group == item]:
        return in_group, Wanted.AS_ONE_OF_MANY
    by_feature = [candidate for candidate in candidates if candidate.feature == item]
    names = sorted({candidate.name for candidate in by_feature})
    if len(names) > 1:
        misfits.append(Misfit(option, item, f"is ambiguous: {' or '.join(names)}", exact=True))
        return [], Wanted.BY_NAME
    if not by_feature:
        misfits.append(Misfit(option, item, f"is no installed plugin{_hint(candidates, item)}", exact=True))
    return by_feature, Wanted.BY_NAME


def _hint(candidates: Sequence[Candidate], item: str) -> str:
    known = {word for candidate in candidates for word in (candidate.group, candidate.feature, candidate.name) if word}
    close = difflib.get_close_matches(item, sorted(known), n=3)
    return f"; did you mean {' or '.join(close)}?" if close else "; see: everything-server plugins"
