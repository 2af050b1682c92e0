"""The manager: one outcome for each plugin, and a policy for those that cannot be used."""

import logging
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
from everything_server import Era, ExtensionSpec, PluginError, PluginManager, Registries, Status, ToolSpec, __version__
from everything_server.discovery import GROUP, Candidate, discover
from everything_server.manager import Outcome
from everything_server.requirements import core_conflict
from harness.plugins import installed, load, module_of, plugin


async def answer() -> str:
    """Answer."""
    return "answer"


def statuses(manager: PluginManager) -> dict[str, Status]:
    return {outcome.name: outcome.status for outcome in manager.outcomes}


def only(manager: PluginManager, name: str) -> Outcome:
    (outcome,) = [outcome for outcome in manager.outcomes if outcome.name == name]
    return outcome


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


BROKEN = {
    "importerror": "ModuleNotFoundError: No module named 'a_module_that_nobody_has'",
    "badhook": "unknown hook 'everything_server_tool'",
    "badargument": "server",
    "raising": "LookupError: no second tool",
    "wrongtype": "TypeError: everything_server_tools gave a PromptSpec, expected ToolSpec",
    "exits": "SystemExit: usage: fake-exits FILE",
}
"""The fakes that are broken as soon as they are loaded, and what the reason must say."""


def test_a_good_plugin_is_active_and_its_declarations_are_kept_by_era(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = load(installed(monkeypatch, "good"))
    assert statuses(manager) == {"fake.good": Status.ACTIVE}
    (active,) = manager.plugins
    assert active.eras == (Era.LEGACY, Era.MODERN)
    assert [declaration.name for declaration in active.declarations[Era.MODERN]] == ["fake-good"]


@pytest.mark.parametrize("scenario", BROKEN)
def test_a_broken_plugin_gets_a_reason_and_leaves_the_others_active(
    monkeypatch: pytest.MonkeyPatch, scenario: str
) -> None:
    manager = load(installed(monkeypatch, scenario, "good", "opt-in"))
    outcome = only(manager, f"fake.{scenario}")
    assert outcome.status is Status.BROKEN
    assert BROKEN[scenario] in outcome.reason
    assert outcome.error is not None
    assert [active.name for active in manager.plugins] == ["fake.good", "mixed.open"]


def test_many_broken_plugins_are_each_told_and_none_hides_another(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = load(installed(monkeypatch, *BROKEN, "good"))
    assert statuses(manager) == {
        "fake.good": Status.ACTIVE,
        **{f"fake.{scenario}": Status.BROKEN for scenario in BROKEN},
    }


def test_an_incompatible_plugin_is_told_from_metadata_and_never_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = load(installed(monkeypatch, "incompatible", "good"))
    outcome = only(manager, "fake.incompatible")
    assert (outcome.status, outcome.error) == (Status.INCOMPATIBLE, None)
    assert outcome.reason == f"needs everything-server-core >=99, found {__version__}"
    assert "fake_incompatible" not in sys.modules


def test_a_disabled_plugin_is_never_imported_and_says_how_to_get_an_opt_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = load(installed(monkeypatch, "importerror", "good", "opt-in"), disable=["importerror"])
    assert statuses(manager) == {
        "fake.good": Status.ACTIVE,
        "fake.importerror": Status.DISABLED,
        "mixed.open": Status.ACTIVE,
        "mixed.shy": Status.DISABLED,
        "shy.one": Status.DISABLED,
        "shy.two": Status.DISABLED,
    }
    assert "fake_importerror" not in sys.modules
    assert only(manager, "fake.importerror").reason == ""
    assert only(manager, "shy.two").reason == "opt-in; to use it: --plugins shy.two"


def test_only_what_is_selected_is_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FAKE_PLUGINS_IMPORTED", str(tmp_path / "imported"))
    candidates = installed(monkeypatch, "observed")
    load(candidates, ["watched.second"])
    assert "fake_watched_second" in sys.modules
    assert "fake_watched_first" not in sys.modules


def test_a_name_that_is_taken_is_a_conflict_the_first_distribution_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    echo = [candidate for candidate in discover() if candidate.name == "tools.echo"]
    manager = load([*installed(monkeypatch, "taken-name"), *echo])
    first, second = manager.outcomes
    assert (first.status, first.candidate and first.candidate.distribution) == (
        Status.ACTIVE,
        "everything-server-tools",
    )
    assert (second.status, second.candidate and second.candidate.distribution) == (Status.CONFLICT, "zz-impostor")
    assert second.reason == f"its name is taken by everything-server-tools {__version__}"
    assert "fake_impostor" not in sys.modules


def test_a_plugin_steps_in_when_the_first_of_its_name_is_broken() -> None:
    """A conflict is with what is active, not with what failed."""
    good = plugin("some.thing", ToolSpec(name="thing", fn=answer), distribution="second")
    bad = plugin("some.thing", module=module_of(everything_server_tool=lambda: []), distribution="first")
    manager = load([good, bad])
    assert [(outcome.candidate and outcome.candidate.distribution, outcome.status) for outcome in manager.outcomes] == [
        ("first", Status.BROKEN),
        ("second", Status.ACTIVE),
    ]


@pytest.mark.parametrize("reference", ["no reference at all!", "fake_good:nothing", "nowhere.at.all"])
def test_an_entry_point_that_leads_nowhere_is_broken(monkeypatch: pytest.MonkeyPatch, reference: str) -> None:
    installed(monkeypatch, "good")
    stray = Candidate("stray.one", "stray", "1", metadata.EntryPoint("stray.one", reference, GROUP))
    assert statuses(load([stray])) == {"stray.one": Status.BROKEN}


def test_a_plugin_may_be_an_object_of_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = load(installed(monkeypatch, "opt-in"), ["*"])
    tools = [declaration.name for active in manager.plugins for declaration in active.declarations[Era.LEGACY]]
    assert tools == ["mixed-open", "mixed-shy", "shy-one", "shy-two"]


def test_one_object_under_two_names_is_active_once_and_the_second_name_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (good,) = installed(monkeypatch, "good")
    again = Candidate("fake.good-again", "fake-good", "1.2.3", good.entry_point)
    manager = load([good, again])
    assert statuses(manager) == {"fake.good": Status.ACTIVE, "fake.good-again": Status.BROKEN}
    assert "fake.good" in only(manager, "fake.good-again").reason
    assert [active.name for active in manager.plugins] == ["fake.good"]


def test_a_hook_may_give_nothing() -> None:
    manager = load([plugin("quiet.plugin")])
    (active,) = manager.plugins
    assert active.eras == ()


@pytest.mark.parametrize("hook", ["tools", "resources", "prompts", "extensions", "icons"])
def test_a_hook_that_gives_none_where_declarations_are_due_is_broken(hook: str) -> None:
    manager = load([plugin("forgets.return", module=module_of(**{f"everything_server_{hook}": lambda: None}))])
    outcome = only(manager, "forgets.return")
    assert outcome.status is Status.BROKEN
    assert f"everything_server_{hook} gave None" in outcome.reason


def test_a_function_with_the_name_of_a_hook_and_without_its_decorator_is_broken() -> None:
    module = ModuleType("undecorated")
    module.everything_server_tools = lambda: [ToolSpec(name="lost", fn=answer)]  # type: ignore[attr-defined]
    outcome = only(load([plugin("for.gotten", module=module)]), "for.gotten")
    assert outcome.status is Status.BROKEN
    assert "everything_server_tools is not decorated with hookimpl" in outcome.reason


@pytest.mark.parametrize("identifier", ["clock", "com.example/", "/clock", "com example/clock", "com.example/a/b", ""])
def test_an_extension_whose_identifier_is_none_is_broken(identifier: str) -> None:
    outcome = only(load([plugin("ext.ension", ExtensionSpec(identifier=identifier))]), "ext.ension")
    assert outcome.status is Status.BROKEN
    assert "identifier must be" in outcome.reason


def test_a_declaration_that_is_not_in_a_list_is_broken() -> None:
    module = module_of(everything_server_tools=lambda: ToolSpec(name="bare", fn=answer))
    manager = load([plugin("bare.tool", module=module)])
    assert statuses(manager) == {"bare.tool": Status.BROKEN}
    assert "ToolSpec" in only(manager, "bare.tool").reason


@pytest.mark.parametrize("name", [None, 5, ["a", "list"]], ids=repr)
def test_a_declaration_whose_name_is_no_text_breaks_its_plugin_and_no_other(name: object) -> None:
    nameless = plugin("name.less", ToolSpec(name=name, fn=answer))  # type: ignore[arg-type]
    manager = load([nameless, plugin("other.tool", ToolSpec(name="other", fn=answer))])
    registry = Registries(manager).build(Era.MODERN)
    assert list(registry.tools) == ["other"]
    assert only(manager, "name.less").status is Status.BROKEN


def test_hooks_are_called_once_for_each_era_and_with_the_era_only_if_they_take_it() -> None:
    seen: list[object] = []

    def everything_server_tools(era: Era) -> list[ToolSpec]:
        seen.append(era)
        return [ToolSpec(name=f"tool-of-{era}", fn=answer)]

    def everything_server_instructions() -> str:
        seen.append("instructions")
        return "  Be kind.\n"

    module = module_of(
        everything_server_tools=everything_server_tools, everything_server_instructions=everything_server_instructions
    )
    manager = load([plugin("era.aware", module=module)])
    (active,) = manager.plugins
    assert [[item.name for item in active.declarations[era]] for era in Era] == [["tool-of-legacy"], ["tool-of-modern"]]
    assert active.instructions == dict.fromkeys(Era, "Be kind.")
    assert seen == [Era.LEGACY, "instructions", Era.MODERN, "instructions"]


def test_an_extension_is_of_the_modern_era_only() -> None:
    (active,) = load([plugin("ext.ension", ExtensionSpec(identifier="com.example/clock"))]).plugins
    assert active.eras == (Era.MODERN,)
    assert active.declarations[Era.LEGACY] == ()


def test_instructions_that_are_no_text_are_broken() -> None:
    module = module_of(everything_server_instructions=lambda: ["Be kind."])
    assert statuses(load([plugin("odd.instructions", module=module)])) == {"odd.instructions": Status.BROKEN}


def test_a_manager_shares_nothing_with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = installed(monkeypatch, "good")
    first, second = load(candidates), load(candidates)
    assert statuses(first) == statuses(second) == {"fake.good": Status.ACTIVE}
    first.drop(first.plugins[0], Status.BROKEN, "for this test")
    assert statuses(second) == {"fake.good": Status.ACTIVE}


# What is wrong: who must know, and when it stops the server.


unusable = pytest.mark.parametrize(
    ("scenario", "name", "verb"),
    [
        ("importerror", "fake.importerror", "is broken: ModuleNotFoundError"),
        ("incompatible", "fake.incompatible", "is incompatible: needs everything-server-core >=99"),
        ("raising", "fake.raising", "is broken: LookupError"),
    ],
)


@unusable
@pytest.mark.parametrize("plugins", [None, ["*"], ["fake"], ["fake.*"]], ids=str)
def test_an_unusable_plugin_that_is_one_of_many_earns_one_warning_that_says_all(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    scenario: str,
    name: str,
    verb: str,
    plugins: list[str] | None,
) -> None:
    candidates = installed(monkeypatch, scenario, "good")
    manager = load(candidates, plugins)
    manager.check()
    manager.check()
    (warning,) = warnings(caplog)
    (candidate,) = [candidate for candidate in candidates if candidate.name == name]
    first, second = warning.splitlines()
    assert first.startswith(f"plugin '{name}' ({candidate.origin}) {verb}")
    assert second.endswith(f"active; to silence this: --disable {name}")
    assert not manager.anything_by_name


@unusable
@pytest.mark.parametrize("by_feature", [False, True], ids=["name", "feature"])
def test_an_unusable_plugin_asked_for_by_name_stops_the_server(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    scenario: str,
    name: str,
    verb: str,
    by_feature: bool,
) -> None:
    item = name.partition(".")[2] if by_feature else name
    manager = load(installed(monkeypatch, scenario, "good"), ["fake.good", item])
    assert manager.anything_by_name
    with pytest.raises(PluginError, match=f"plugin '{name}' .* {verb}"):
        manager.check()
    assert warnings(caplog) == []


@unusable
def test_an_unusable_plugin_stops_a_strict_server_which_says_how_to_go_on_without_it(
    monkeypatch: pytest.MonkeyPatch, scenario: str, name: str, verb: str
) -> None:
    manager = load(installed(monkeypatch, scenario, "good"), strict=True)
    with pytest.raises(PluginError, match=f"plugin '{name}' .* {verb}") as failure:
        manager.check()
    assert f"--disable {name}" in str(failure.value)


@unusable
def test_an_unusable_plugin_that_is_disabled_is_listed_quietly_even_by_a_strict_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, scenario: str, name: str, verb: str
) -> None:
    manager = load(installed(monkeypatch, scenario, "good"), [name, "fake"], [name], strict=True)
    manager.check()
    assert warnings(caplog) == []
    assert only(manager, name).status is Status.DISABLED


@pytest.mark.parametrize("plugins", [None, ["*"], ["fake"]], ids=str)
def test_a_plugin_that_says_it_was_set_up_wrongly_stops_the_server(plugins: list[str] | None) -> None:
    """Unlike one that fails: its owner wants it, and can correct the mistake."""

    def declare() -> list[ToolSpec]:
        raise PluginError("FAKE_NAME must be a name")

    manager = load([plugin("fake.misled", module=module_of(everything_server_tools=declare))], plugins)
    assert only(manager, "fake.misled").status is Status.BROKEN
    assert manager.anything_by_name
    with pytest.raises(PluginError) as failure:
        manager.check()
    assert str(failure.value) == (
        "plugin 'fake.misled' (fake-distribution 1.0) is broken: FAKE_NAME must be a name\n"
        "  to start without it: --disable fake.misled"
    )


def test_a_name_conflict_is_told_by_both_owners(caplog: pytest.LogCaptureFixture) -> None:
    first = plugin("some.thing", distribution="aaa", version="1")
    second = plugin("some.thing", distribution="bbb", version="2")
    load([second, first]).check()
    (warning,) = warnings(caplog)
    assert warning.startswith("plugin 'some.thing' (bbb 2) conflicts: its name is taken by aaa 1")
    # To disable the name would take the other one as well.
    assert warning.endswith("to silence this: uninstall all but one of aaa, bbb")


def test_two_failures_of_one_name_are_both_told(caplog: pytest.LogCaptureFixture) -> None:
    first = plugin("some.thing", distribution="aaa")
    load([first, plugin("some.thing", distribution="bbb"), plugin("some.thing", distribution="ccc")]).check()
    assert [warning.split("(")[1].split(" ")[0] for warning in warnings(caplog)] == ["bbb", "ccc"]


def test_a_conflict_with_a_plugin_asked_for_by_name_stops_the_server() -> None:
    candidates = [plugin("some.thing", distribution="aaa"), plugin("some.thing", distribution="bbb")]
    with pytest.raises(PluginError, match=r"plugin 'some.thing' \(bbb 1.0\) conflicts") as failure:
        load(candidates, ["some.thing"]).check()
    assert "to start without it: uninstall all but one of aaa, bbb" in str(failure.value)


def test_an_unknown_item_stops_the_server_and_names_the_option() -> None:
    manager = load([plugin("some.thing")], ["some.thin"])
    assert statuses(manager)["--plugins some.thin"] is Status.UNKNOWN
    with pytest.raises(PluginError, match=r"--plugins some.thin: is no installed plugin; did you mean some.thing"):
        manager.check()


def test_an_unknown_item_to_disable_stops_the_server() -> None:
    with pytest.raises(PluginError, match="--disable some.thin: is no installed plugin"):
        load([plugin("some.thing")], None, ["some.thin"]).check()


def test_a_glob_that_fits_nothing_earns_a_warning_and_stops_a_strict_server(caplog: pytest.LogCaptureFixture) -> None:
    candidates = [plugin("some.thing")]
    load(candidates, ["some.thing", "other.*"]).check()
    (warning,) = warnings(caplog)
    assert warning.startswith("--plugins other.*: fits no installed plugin")
    with pytest.raises(PluginError, match=r"--plugins other\.\*: fits no installed plugin"):
        load(candidates, ["some.thing", "other.*"], strict=True).check()


def test_all_that_stops_the_server_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = load(installed(monkeypatch, "importerror", "raising"), ["importerror", "fake.raising", "nonsense"])
    with pytest.raises(PluginError) as failure:
        manager.check()
    for name in ("plugin 'fake.importerror'", "plugin 'fake.raising'", "--plugins nonsense:"):
        assert name in str(failure.value)


def test_all_well_is_silent(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    manager = load(installed(monkeypatch, "good"), ["fake.good"], strict=True)
    manager.check()
    assert caplog.records == []


def test_the_traceback_is_shown_when_information_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    manager = load(installed(monkeypatch, "raising"))
    with caplog.at_level(logging.WARNING):
        manager.check()
    assert caplog.records[-1].exc_info is None
    manager = load(installed(monkeypatch, "raising"))
    with caplog.at_level(logging.INFO):
        manager.check()
    exc_info = caplog.records[-1].exc_info
    assert exc_info is not None
    assert exc_info[0] is LookupError


@pytest.mark.parametrize(
    ("requirements", "conflict"),
    [
        ([], ""),
        (["everything-server-core"], ""),
        (["everything-server-core>=0.1,<0.2"], ""),
        (["everything-server-core >= 0.1.5.0 , <= 0.1.5, > 0.1.4.9"], ""),
        (["everything-server-core>0.1.5.0"], "needs everything-server-core >0.1.5.0, found 0.1.5"),
        (["everything-server-core (>=0.1)"], ""),
        (["everything-server-core~=0.1.2"], ""),
        (["everything-server-core<0.1.5rc1"], "needs everything-server-core <0.1.5rc1, found 0.1.5"),
        (["everything-server-core>=0.2"], "needs everything-server-core >=0.2, found 0.1.5"),
        (["Everything_Server.Core<0.1"], "needs everything-server-core <0.1, found 0.1.5"),
        (["everything-server-core [extra] != 0.1.5"], "needs everything-server-core !=0.1.5, found 0.1.5"),
        (["everything-server-core>=0.1", "everything-server-core<0.1.5"], "needs everything-server-core <0.1.5, "),
        (["everything-server-core>=9; python_version < '3'"], ""),
        (["everything-server-core>=9; extra == 'next'"], ""),
        (["everything-server-core>=9; python_version >= '3'"], "needs everything-server-core >=9"),
        (["everything-server>=9", "everything-server-core-tools>=9"], ""),
        (["no requirement of any kind >>>"], ""),
    ],
)
def test_requirements_on_the_core_are_judged_with_their_markers(requirements: list[str], conflict: str) -> None:
    found = core_conflict(requirements, "0.1.5")
    assert found.startswith(conflict)
    assert bool(found) == bool(conflict)


def test_a_pre_release_of_the_core_satisfies_what_its_release_does() -> None:
    assert core_conflict(["everything-server-core>=0.1,<0.3"], "0.2.dev1") == ""


def test_a_development_version_of_the_core_is_older_than_its_release() -> None:
    assert core_conflict(["everything-server-core>=0.2"], "0.2.dev1").startswith("needs everything-server-core >=0.2")


def test_the_core_version_that_counts_is_the_one_installed_unless_said_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manager = load(installed(monkeypatch, "good"), core_version="1.0")
    assert statuses(manager) == {"fake.good": Status.INCOMPATIBLE}
