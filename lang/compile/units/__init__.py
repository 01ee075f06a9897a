"""The library as units that are compiled once, and what programs know of these."""
