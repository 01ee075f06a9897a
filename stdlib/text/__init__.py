"""Text and bytes: layout by directives, encodings, digests, text formats."""
