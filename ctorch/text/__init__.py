"""Unicode text, regular expressions and trees of JSON, as the tokenizers read them."""
