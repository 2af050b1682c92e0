"""Transports: bind to what carries the messages, serve there, and shut down in order."""
