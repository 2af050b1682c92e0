"""Tools of everything-server; each module is one plugin."""
