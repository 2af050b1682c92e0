"""The pytest plugin in test suites of its own: what the marker selects, and that no test notices another one."""

import subprocess
import sys

import pytest


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nanyio_mode = auto\nfilterwarnings = error\n")
    return pytester


def test_the_closest_marker_decides_each_option(suite: pytest.Pytester) -> None:
    suite.makeini("[pytest]\neverything =\n  plugins = tools.echo\n  page_size = 3\n")
    suite.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.everything(disable="get-env", page_size=4)

        def shown(everything):
            options = everything.options
            return options.plugins, options.disable, options.page_size

        @pytest.mark.everything(page_size=5)
        class TestOfAClass:
            def test_class(self, everything):
                assert shown(everything) == ("tools.echo", "get-env", 5)

            @pytest.mark.everything(plugins=["tools", "prompts"], page_size=6)
            def test_function(self, everything):
                assert shown(everything) == ("tools,prompts", "get-env", 6)

        def test_module(everything):
            assert shown(everything) == ("tools.echo", "get-env", 4)
        """
    )
    suite.makepyfile(
        test_session="""
        def test_session(everything):
            assert (everything.options.plugins, everything.options.page_size) == ("tools.echo", 3)
            assert everything.transport == "memory"
        """
    )
    suite.runpytest("-q", "--strict-markers").assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ("transport='every', era='every'", 7),
        ("transport='every', era='every', clock='fake'", 5),
        ("transport=['stdio', 'sse']", 2),
        ("transport='streamable-http', era='every'", 2),
        ("transport='sse', era='every'", 1),
        ("", 1),
    ],
)
def test_a_test_runs_once_for_each_server_that_it_asks_for(suite: pytest.Pytester, options: str, ids: int) -> None:
    suite.makepyfile(
        f"""
        import pytest

        @pytest.mark.everything({options})
        def test_it(everything):
            pass
        """
    )
    assert suite.runpytest("--collect-only", "-q").parseoutcomes().get("tests", 1) == ids


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("plugin='tools'", "unknown option plugin; there are transport, era, plugins"),
        ("'tools'", "options have to be named, as in transport='stdio'"),
        ("transport=['memory', 'stdio'], clock='fake'", "whose clock nobody else can move"),
        ("transport='sse', era='modern'", "sse exists in the legacy era only"),
    ],
)
def test_a_marker_that_asks_for_nonsense_stops_the_run(suite: pytest.Pytester, options: str, problem: str) -> None:
    suite.makepyfile(
        f"""
        import pytest

        @pytest.mark.everything({options})
        def test_it(everything):
            pass
        """
    )
    done = suite.runpytest("-q")
    assert done.ret != 0
    done.stdout.fnmatch_lines([f"*test_it*{problem}*"])


@pytest.mark.parametrize(
    ("line", "problem"),
    [("tools", "'tools' is not of the form option=value"), ("seed = x", "seed: 'x' is no number")],
)
def test_a_configuration_that_makes_no_sense_stops_the_run(suite: pytest.Pytester, line: str, problem: str) -> None:
    suite.makeini(f"[pytest]\neverything =\n  {line}\n")
    suite.makepyfile("def test_it(everything): pass")
    done = suite.runpytest("-q")
    assert done.ret != 0
    done.stdout.fnmatch_lines([f"*{problem}*"])


ISOLATED = """
    import pytest

    @pytest.fixture
    def anyio_backend():
        return "asyncio"

    @pytest.mark.everything(transport=["memory", "streamable-http"], era="every", clock="fake", seed=7)
    @pytest.mark.parametrize("turn", range(2))
    async def test_nothing_reaches_the_next_test(everything, turn):
        assert len(everything.received) == 0
        assert everything.clock.now().minute == 0
        async with everything.client() as client:
            everything.clock.advance(60)
            first = await client.call_tool("get-resource-reference", {"resourceType": "Text", "resourceId": 1})
            assert "12:01:00" in first.content[1].resource.text
            resources = {resource.name for resource in (await client.list_resources()).resources}
            assert "left-behind" not in resources
            arguments = {"name": "left-behind", "data": "data:,x", "outputType": "resourceLink"}
            (link,) = (await client.call_tool("gzip-file-as-resource", arguments)).content
            assert link.uri == EXPECTED.setdefault(client.protocol_version, link.uri)
            assert len(everything.received.of("tools/call")) == 2

    EXPECTED = {}
"""


@pytest.mark.parametrize("order", ["as written", "backwards"])
def test_nothing_of_one_test_reaches_the_next(suite: pytest.Pytester, order: str) -> None:
    suite.makeconftest(
        f"def pytest_collection_modifyitems(items):\n    if {order == 'backwards'}:\n        items.reverse()\n"
    )
    suite.makepyfile(ISOLATED)
    suite.runpytest("-q").assert_outcomes(passed=8)


def test_nor_in_parallel(suite: pytest.Pytester) -> None:
    suite.makepyfile(ISOLATED)
    suite.runpytest_subprocess("-q", "-n", "2").assert_outcomes(passed=8)


def test_where_it_is_not_used_nothing_is_loaded(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        """
        import sys

        def test_what_is_loaded():
            heavy = {"mcp", "mcp_types", "pydantic", "pluggy_", "starlette", "uvicorn", "anyio"} & set(sys.modules)
            ours = {name for name in sys.modules if name.startswith("everything_server")}
            assert heavy == set()
            assert ours == {"everything_server", "everything_server.testing", "everything_server.testing.plugin"}
        """
    )
    suite.makeini("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:anyio", "-p", "no:cacheprovider"],
        cwd=suite.path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_pytest_lists_the_marker_with_its_options(suite: pytest.Pytester) -> None:
    suite.runpytest("--markers").stdout.fnmatch_lines(["@pytest.mark.everything(transport=*, era=*, plugins=*"])
