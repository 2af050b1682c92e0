"""Serves servers made by a factory: era classification, message dispatch, subscriptions, and the serving entries."""
