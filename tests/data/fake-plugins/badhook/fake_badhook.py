"""A plugin with a misspelt hook, which nothing would ever call."""

from everything_server import hookimpl


@hookimpl
def everything_server_tool():
    return []
