"""Random programs, each a function of its seed."""
