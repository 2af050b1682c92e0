"""The version of this distribution, from its metadata."""

from importlib.metadata import version

__version__ = version("everything-server-core")
