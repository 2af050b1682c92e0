"""What several of the calculator's plugins share. Nothing in here is a plugin, or knows one."""
