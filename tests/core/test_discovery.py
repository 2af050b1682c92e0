"""Discovery reads metadata, and nothing but metadata."""

import sys
from importlib import metadata

import pytest
from everything_server.discovery import GROUP, Candidate, discover
from harness.plugins import installed, paths_of


def found(*scenarios: str) -> list[Candidate]:
    return discover(distributions=metadata.distributions(path=paths_of(*scenarios)))


def test_a_plugin_is_found_with_its_distribution_version_and_requirements() -> None:
    (candidate,) = found("good")
    assert candidate.name == "fake.good"
    assert (candidate.group, candidate.feature) == ("fake", "good")
    assert (candidate.distribution, candidate.version) == ("fake-good", "1.2.3")
    assert candidate.origin == "fake-good 1.2.3"
    assert "everything-server-core<1,>=0.1" in candidate.requires
    assert not candidate.opt_in


def test_discovery_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = installed(monkeypatch, "good", "importerror", "exits", "incompatible", "noisy", "opt-in")
    assert len(candidates) == 9
    assert not [name for name in sys.modules if name.startswith("fake_")]


def test_what_is_installed_is_found_on_the_import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "good")
    names = [candidate.name for candidate in discover()]
    assert "fake.good" in names
    assert "tools.echo" in names


def test_plugins_come_sorted_by_name_whatever_the_order_of_the_path() -> None:
    names = [candidate.name for candidate in found("tool-conflict", "opt-in", "good")]
    assert names == ["fake.good", "mixed.open", "mixed.shy", "shy.one", "shy.two", "zz.echo"]
    assert names == [candidate.name for candidate in found("good", "opt-in", "tool-conflict")]


def test_a_distribution_that_is_on_the_path_twice_counts_once_and_the_first_wins() -> None:
    assert [candidate.version for candidate in found("good", "good-again")] == ["1.2.3"]
    assert [candidate.version for candidate in found("good-again", "good")] == ["9.9.9"]


def test_one_plugin_name_in_two_distributions_is_two_candidates() -> None:
    candidates = [*found("taken-name"), *(candidate for candidate in discover() if candidate.name == "tools.echo")]
    assert sorted(candidate.distribution for candidate in candidates) == ["everything-server-tools", "zz-impostor"]


def test_the_opt_in_mark_is_read_from_metadata_for_a_plugin_and_for_a_whole_group() -> None:
    marks = {candidate.name: candidate.opt_in for candidate in found("opt-in")}
    assert marks == {"mixed.open": False, "mixed.shy": True, "shy.one": True, "shy.two": True}


def test_a_mark_says_nothing_about_plugins_of_other_distributions() -> None:
    """Else one distribution could switch another's plugins off by default."""
    stranger = metadata.EntryPoint("shy.three", "stranger", GROUP)

    class Stranger(metadata.Distribution):
        def read_text(self, filename: str) -> str | None:
            return {
                "METADATA": "Metadata-Version: 2.4\nName: stranger\nVersion: 1\n",
                "entry_points.txt": f"[{GROUP}]\n{stranger.name} = {stranger.value}\n",
            }.get(filename)

        def locate_file(self, path: object) -> object:
            raise NotImplementedError

    distributions = [*metadata.distributions(path=paths_of("opt-in")), Stranger()]
    marks = {candidate.name: candidate.opt_in for candidate in discover(distributions=distributions)}
    assert marks["shy.one"]
    assert not marks["shy.three"]


def test_other_groups_of_entry_points_are_no_plugins() -> None:
    assert discover(group="somebody.else", distributions=metadata.distributions(path=paths_of("good"))) == []


def test_the_remains_of_an_uninstalled_distribution_do_not_hide_what_is_installed() -> None:
    """An interrupted uninstall or upgrade may leave entry points without the metadata that says whose they are."""
    for scenarios in (("remains", "good"), ("good", "remains")):
        origins = [candidate.origin for candidate in found(*scenarios) if candidate.name == "fake.good"]
        assert "fake-good 1.2.3" in origins
        assert "None None" not in origins


def test_the_installed_plugins_are_those_of_the_distributions_of_this_repository() -> None:
    ours = {
        "everything-server-tools": "tools",
        "everything-server-resources": "resources",
        "everything-server-prompts": "prompts",
        "everything-server-extras": "extras",
    }
    by_group = {ours.get(candidate.distribution): candidate.group for candidate in discover()}
    by_group.pop(None, None)
    assert by_group == {group: group for group in ours.values()}
