"""Pictures in files: PNG through libpng, JPEG through libjpeg, PPM and PGM; resizing.  C++ sources."""
