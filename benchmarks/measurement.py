"""Measures subjects in turn, and compares what came of it.

A machine is never quiet, and its noise comes in waves. So the subjects have their turns in rounds, in another order
each time, and a figure is the median over the rounds. CPU time is the steadier one; the minimum says what a quiet
moment gives.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Effort:
    """How much to measure; None leaves it to the benchmark."""

    rounds: int | None = None
    calls: int | None = None
    extra_tools: int = 1000
    warms: bool = True
    """Whether each subject has a turn before those that count."""


@dataclass(frozen=True)
class Sample:
    """What one operation of one subject took in one round, in seconds."""

    wall: float
    cpu: float | None
    """User and system time; None where the system does not tell."""


@dataclass(frozen=True)
class Requirement:
    """An upper limit for what a subject takes; it is meant for wall time, the other figures say how sure that is."""

    subject: str
    limit: float
    """In seconds, or as a multiple of what the peer takes."""
    peer: str | None = None


@dataclass(frozen=True)
class Comparison:
    """The samples of all subjects, by name; as text, a table of their figures and what became of the requirements."""

    title: str
    unit: str
    """`ms` or `us`."""
    samples: Mapping[str, Sequence[Sample]]
    peer: str
    """The subject that the ratios are to."""
    requirements: Sequence[Requirement] = ()

    def __str__(self) -> str:
        rounds = len(self.samples[self.peer])
        heading = f"{self.title} (rounds: {rounds}, times in {self.unit}, ratios to {self.peer})"
        return "\n".join([heading, *self._table(), *map(self._verdict, self.requirements)])

    def _table(self) -> Iterator[str]:
        width = max(map(len, self.samples))
        headings = "  ".join(f"{name:>7}   ratio" for name in _FIGURES)
        yield f"  {'':{width}}  {headings}"
        for subject in self.samples:
            columns = "  ".join(self._columns(subject))
            yield f"  {subject:{width}}  {columns}"

    def _columns(self, subject: str) -> Iterator[str]:
        for figure in _FIGURES.values():
            value, of_peer = figure(self.samples[subject]), figure(self.samples[self.peer])
            if value is None or not of_peer:
                yield f"{'-':>7}  {'-':>6}"
            else:
                yield f"{value * _PER_SECOND[self.unit]:7.1f}  {value / of_peer:6.3f}"

    def _verdict(self, requirement: Requirement) -> str:
        subject, limit, peer, scale = requirement.subject, requirement.limit, requirement.peer, _PER_SECOND[self.unit]
        verdicts: list[str] = []
        for name, figure in _FIGURES.items():
            value, of_peer = figure(self.samples[subject]), 1.0 if peer is None else figure(self.samples[peer])
            if value is None or not of_peer:
                continue
            found = f"{value * scale:.1f} {self.unit}" if peer is None else f"{value / of_peer:.3f}"
            verdicts.append(f"{name} {found} {'met' if value / of_peer <= limit else 'MISSED'}")
        wanted = f"{limit * scale:g} {self.unit}" if peer is None else f"{limit:g} x {peer}"
        return f"  {subject} <= {wanted}: {', '.join(verdicts)}"


def in_turn(
    subjects: Mapping[str, Callable[[], Sample]], rounds: int, *, warms: bool = True
) -> dict[str, list[Sample]]:
    """Give every subject its turn in every round, after one turn that does not count, unless `warms` is false."""
    names = list(subjects)
    samples: dict[str, list[Sample]] = {name: [] for name in names}
    for name in names if warms else ():
        subjects[name]()
    for number in range(rounds):
        first = number % len(names)  # who comes after whom must not matter
        for name in (*names[first:], *names[:first]):
            samples[name].append(subjects[name]())
    return samples


def _wall(samples: Sequence[Sample]) -> float:
    return median(sample.wall for sample in samples)


def _minimum(samples: Sequence[Sample]) -> float:
    return min(sample.wall for sample in samples)


def _cpu(samples: Sequence[Sample]) -> float | None:
    known = [sample.cpu for sample in samples if sample.cpu is not None]
    return median(known) if known else None


_PER_SECOND = {"ms": 1e3, "us": 1e6}
_FIGURES: Mapping[str, Callable[[Sequence[Sample]], float | None]] = {"wall": _wall, "minimum": _minimum, "cpu": _cpu}
