"""The evaluator: owned ANF as code on the C runtime."""
