"""Each primitive procedure, declared once."""
