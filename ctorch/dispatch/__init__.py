"""Calls of operators: schemas, overloads, arguments, results."""
