"""Programs that travel: a folder with an executable and all that it needs."""
