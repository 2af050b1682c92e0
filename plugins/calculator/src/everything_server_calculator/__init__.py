"""A calculator as plugins of everything-server; each module is one plugin, but for those in `common`."""
