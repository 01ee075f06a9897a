"""Modules: files, libraries, import sets, and the library that is always available."""
