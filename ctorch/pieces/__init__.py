"""How texts are cut into pieces: tables, algorithms, and the models of SentencePiece's files."""
