"""Makers of the tables of characters: of Unicode's, and of what the tokenizers package sees."""
