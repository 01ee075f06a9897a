"""The operators of language models, with loops written for them.  C++ sources."""
