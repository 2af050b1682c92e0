"""`python -m everything_server`."""

from everything_server.cli import main

main()
