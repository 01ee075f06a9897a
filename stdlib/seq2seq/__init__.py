"""Models with an encoder and a decoder: translation, summaries, speech to text."""
