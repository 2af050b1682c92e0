"""A plugin whose own dependency is not installed."""

import a_module_that_nobody_has  # noqa: F401
