"""The compiler: Core to lifted functions, ANF, types, ownership, C99 and an executable."""
