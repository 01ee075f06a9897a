"""Tokenizers: texts as the numbers of tokens, and back."""
