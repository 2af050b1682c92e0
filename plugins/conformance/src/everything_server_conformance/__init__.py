"""What the scenarios of the official conformance suite look for in a server; each module is one plugin."""
