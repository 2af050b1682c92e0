"""The official conformance suite of the Model Context Protocol, run against this server: `python -m conformance`."""
