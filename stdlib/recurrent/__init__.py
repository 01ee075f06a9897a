"""Language models whose layers carry states from token to token, and what these share."""
