"""Calls of the system: files, processes, and the process itself."""
