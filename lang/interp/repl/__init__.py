"""The REPL: entries, commands, the terminal, and programs on the standard input."""
