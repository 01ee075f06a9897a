"""Language models, their tokenizers and other contents of GGUF files."""
