"""Reading data for training: tables, folders, and batches gathered ahead."""
