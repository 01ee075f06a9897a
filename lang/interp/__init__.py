"""The evaluator: Core to Python code objects, the values, and the REPL."""
