"""The REPL: sessions, commands, the line editor, the terminal; programs on the standard input."""
