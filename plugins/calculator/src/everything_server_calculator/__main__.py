"""The command `calculator-server`: everything-server with this group alone, over HTTP+SSE unless told otherwise."""

from everything_server import preset_command

main = preset_command(
    "calculator-server", plugins="calculator", transport="sse", options={"port": 1923, "message_path": "/messages"}
)

if __name__ == "__main__":
    main()
