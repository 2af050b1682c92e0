"""Features of everything-server that its other groups do not have; each module is one plugin."""
