"""Pictures in files: PNG through libpng, PPM and PGM.  C++ sources."""
