"""What is known about values: types and effects, what follows from them, and the verifier."""
