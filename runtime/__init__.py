"""The C99 that executables stand on.  Data only: headers and sources for the C compiler."""
