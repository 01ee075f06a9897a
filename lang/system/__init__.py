"""The machine: cache, scratch folders, compilers, standard streams."""
