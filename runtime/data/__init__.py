"""Pairs, vectors, tables, records, symbols, constants."""
