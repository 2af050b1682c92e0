"""Plays cases at the same time that mostly wait, each for a process of its own."""

import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor


def together(cases: Mapping[str, Callable[[], object]]) -> None:
    """Play all cases at once, each in a thread.

    Raises:
        AssertionError: Some have failed; names them, and shows how.
    """
    with ThreadPoolExecutor(len(cases)) as threads:
        played: dict[str, Future[object]] = {name: threads.submit(case) for name, case in cases.items()}
    failures = {name: one.exception() for name, one in played.items() if one.exception() is not None}
    if failures:
        shown = ("".join([f"{name}: ", *traceback.format_exception(failure)]) for name, failure in failures.items())
        raise AssertionError("\n".join([f"{len(failures)} of {len(cases)} cases failed", *shown]))
