"""Arguments of prompts that are one of a few words."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from everything_server import InvalidArgumentError


def chosen(argument: str, value: str, choices: Iterable[str]) -> str:
    """The value, if it is one of the choices.

    Raises:
        InvalidArgumentError: It is none of them.
    """
    known = list(choices)
    if value not in known:
        raise InvalidArgumentError(argument, f"must be one of {', '.join(known)}")
    return value


def completing(choices: Sequence[str]) -> Callable[[str, Mapping[str, str]], list[str]]:
    """A completion function: the choices that begin with what was typed."""

    def complete(value: str, settled: Mapping[str, str]) -> list[str]:
        return [choice for choice in choices if choice.startswith(value.lower())]

    return complete
