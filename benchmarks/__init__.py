"""Measures this server side by side with peers: `python -m benchmarks [NAME...]`, each in a module of `suite`."""
