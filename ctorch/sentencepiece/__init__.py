"""SentencePiece's C++ library: how it is built, and the face that ctorch sees of it."""
