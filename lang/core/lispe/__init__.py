"""The forms of LispE, for programs with `(use 'lispe_torch)`."""
