"""A plugin whose hook asks for something that hooks are not given."""

from everything_server import hookimpl


@hookimpl
def everything_server_tools(server):
    return []
