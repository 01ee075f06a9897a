"""The languages that the passes work on: lifted expressions and ANF, and their printed form."""
