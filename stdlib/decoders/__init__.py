"""Language models: an architecture a file, of the parts in `stdlib/llm`."""
