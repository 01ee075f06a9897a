"""Generation: text from language models."""
