"""Text to data: source positions, the reader, numerals; and data back to text."""
