"""Text to data: source positions, the reader, and the macro expander."""
