"""What commands need from the machine: cache, scratch folders, compilers, standard streams."""
