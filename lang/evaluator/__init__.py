"""The evaluator's back end: owned ANF as code that the C runtime runs."""
