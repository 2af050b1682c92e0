"""A plugin for a core of the future; it must never be imported."""

raise AssertionError("an incompatible plugin was imported")
