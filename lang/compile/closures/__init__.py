"""From Core to ANF: closure conversion, top-level variables, one operation a statement."""
