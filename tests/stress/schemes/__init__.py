"""Programs that Lambent, Guile and Chez run."""
