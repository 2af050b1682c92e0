"""What the rows of `calls.json` are about."""

from typing import Final

GROUPS: Final = ("tools", "resources", "prompts", "tasks")
"""The plugin groups whose features the rows name: some rows list all of these and no others."""
