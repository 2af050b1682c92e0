"""A plugin under a name that another distribution has taken; it must never be imported."""

raise AssertionError("a plugin whose name is taken was imported")
