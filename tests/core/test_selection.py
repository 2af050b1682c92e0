"""What `--plugins` and `--disable` select."""

from collections.abc import Iterable, Sequence
from importlib import metadata

import pytest
from everything_server.discovery import GROUP, Candidate
from everything_server.selection import Misfit, Wanted, select, split_items

BY_DEFAULT = ["dice.roll", "tools.echo", "tools.get-env", "tools.get-sum", "prompts.echo", "prompts.simple"]
OPT_IN = ["conformance.tools", "calculator.serve"]


def candidate(name: str, *, opt_in: bool = False, distribution: str = "some") -> Candidate:
    return Candidate(name, distribution, "1.0", metadata.EntryPoint(name, "some_module", GROUP), opt_in=opt_in)


INSTALLED = sorted([*map(candidate, BY_DEFAULT), *(candidate(name, opt_in=True) for name in OPT_IN)])


def wanted(plugins: Iterable[str] | None = None, disable: Iterable[str] = ()) -> dict[str, Wanted]:
    """The plugins that are wanted, and how."""
    selection = select(INSTALLED, plugins, disable)
    return {item.name: how for item, how in selection.wanted.items() if how is not Wanted.NO}


def misfits(plugins: Iterable[str] | None = None, disable: Iterable[str] = ()) -> Sequence[Misfit]:
    return select(INSTALLED, plugins, disable).misfits


def test_by_default_every_plugin_but_the_opt_in_ones_is_wanted_as_one_of_many() -> None:
    assert wanted() == dict.fromkeys(sorted(BY_DEFAULT), Wanted.AS_ONE_OF_MANY)


def test_a_group_selects_its_plugins_as_some_of_many() -> None:
    names = ["tools.echo", "tools.get-env", "tools.get-sum"]
    assert wanted(["tools"]) == dict.fromkeys(names, Wanted.AS_ONE_OF_MANY)


def test_a_name_selects_one_plugin_by_name() -> None:
    assert wanted(["tools.echo"]) == {"tools.echo": Wanted.BY_NAME}


def test_a_plugin_whose_name_is_one_word_is_selected_by_name() -> None:
    """Its name looks like that of a group, but it was named all the same."""
    selection = select([candidate("dice")], ["dice"])
    assert list(selection.wanted.values()) == [Wanted.BY_NAME]


def test_a_glob_selects_what_it_fits_as_some_of_many() -> None:
    assert wanted(["tools.get-*"]) == dict.fromkeys(["tools.get-env", "tools.get-sum"], Wanted.AS_ONE_OF_MANY)
    assert set(wanted(["*.echo"])) == {"tools.echo", "prompts.echo"}
    assert set(wanted(["tools.get-[es]*"])) == {"tools.get-env", "tools.get-sum"}
    assert set(wanted(["tools.ech?"])) == {"tools.echo"}


def test_a_glob_is_as_particular_about_case_as_names_are() -> None:
    assert wanted(["TOOLS.*"]) == {}


def test_a_feature_name_selects_the_one_plugin_that_has_it_by_name() -> None:
    assert wanted(["get-sum"]) == {"tools.get-sum": Wanted.BY_NAME}
    assert wanted(["roll"]) == {"dice.roll": Wanted.BY_NAME}


def test_a_feature_name_in_two_groups_selects_nothing_and_names_both() -> None:
    assert wanted(["echo"]) == {}
    (misfit,) = misfits(["echo"])
    assert (misfit.option, misfit.item, misfit.exact) == ("--plugins", "echo", True)
    assert misfit.problem == "is ambiguous: prompts.echo or tools.echo"


def test_one_plugin_in_two_distributions_is_not_ambiguous() -> None:
    twice = [*INSTALLED, candidate("dice.roll", distribution="other")]
    selection = select(twice, ["roll"])
    assert selection.misfits == ()
    assert [item.distribution for item, how in selection.wanted.items() if how is Wanted.BY_NAME] == ["some", "other"]


def test_a_group_goes_before_a_feature_of_the_same_name() -> None:
    """`conformance.tools` has the feature `tools`, which must not make the group ambiguous."""
    assert set(wanted(["tools"])) == {"tools.echo", "tools.get-env", "tools.get-sum"}


@pytest.mark.parametrize(
    "values",
    [
        ["dice,prompts"],
        ["dice", "prompts"],
        [" dice , prompts "],
        ["dice,", ",prompts,,"],
        ["prompts,dice", "dice"],
    ],
)
def test_items_are_separated_by_commas_or_repeated_and_blanks_do_not_count(values: list[str]) -> None:
    assert set(wanted(values)) == {"dice.roll", "prompts.echo", "prompts.simple"}


def test_items_keep_their_order() -> None:
    assert split_items([" b,a ", "", " , ", "c"]) == ["b", "a", "c"]


def test_an_empty_list_selects_nothing() -> None:
    assert wanted([""]) == {}
    assert misfits([""]) == ()


@pytest.mark.parametrize("item", ["tools.echo", "tools", "*", "tools.e*"])
def test_disable_wins_over_every_form_of_selection(item: str) -> None:
    assert "tools.echo" not in wanted(["tools.echo", "tools", "tools.*"], [item])


def test_disable_takes_away_from_the_default() -> None:
    assert set(wanted(None, ["tools,dice.roll", "simple"])) == {"prompts.echo"}


def test_disable_everything_leaves_nothing() -> None:
    assert wanted(None, ["*"]) == {}


@pytest.mark.parametrize("item", ["calculator", "calculator.serve", "calc*", "serve"])
def test_an_opt_in_plugin_is_selected_by_asking_for_it(item: str) -> None:
    assert set(wanted([item])) == {"calculator.serve"}


def test_a_name_counts_more_than_a_glob_or_group_whatever_the_order() -> None:
    assert wanted(["tools.echo,tools"])["tools.echo"] is Wanted.BY_NAME
    assert wanted(["tools.*", "tools.echo"])["tools.echo"] is Wanted.BY_NAME


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("tool", "tools"), ("tools.ecko", "tools.echo"), ("get-som", "get-sum"), ("dice.rol", "dice.roll")],
)
def test_an_unknown_item_is_a_misfit_with_what_may_have_been_meant(typed: str, meant: str) -> None:
    (misfit,) = misfits([typed])
    assert (misfit.option, misfit.item, misfit.exact) == ("--plugins", typed, True)
    assert "is no installed plugin; did you mean" in misfit.problem
    assert meant in misfit.problem


def test_an_unknown_item_like_no_other_is_referred_to_the_list() -> None:
    (misfit,) = misfits(["zzzzzz"])
    assert misfit.problem == "is no installed plugin; see: everything-server plugins"


def test_an_unknown_item_to_disable_is_a_misfit_as_well() -> None:
    (misfit,) = misfits(None, ["tools.ecko"])
    assert (misfit.option, misfit.item) == ("--disable", "tools.ecko")


def test_a_glob_that_fits_nothing_is_a_misfit_but_named_no_plugin() -> None:
    (misfit,) = misfits(["nothing.*"])
    assert (misfit.exact, misfit.problem) == (False, "fits no installed plugin")


def test_each_misfit_is_told() -> None:
    assert [misfit.item for misfit in misfits(["bad,tools", "worse"], ["none"])] == ["bad", "worse", "none"]


def test_items_that_fit_count_beside_those_that_do_not() -> None:
    assert set(wanted(["nonsense,dice"])) == {"dice.roll"}
