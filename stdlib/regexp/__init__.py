"""Regular expressions: SRFI 115, and PCRE2's notation."""
