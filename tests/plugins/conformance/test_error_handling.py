"""`conformance.error-handling`."""

from harness import Connect
from harness.client_side import problem_in


async def test_it_fails_with_a_result(connect: Connect) -> None:
    async with connect("conformance.error-handling") as client:
        problem = problem_in(await client.call_tool("test_error_handling"))
    assert problem == "This tool intentionally returns an error for testing"
