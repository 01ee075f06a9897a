"""Pictures in files: PNG, JPEG, PPM and PGM, and their sizes.  C++ sources."""
