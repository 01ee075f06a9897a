"""Macros: `syntax-rules`, `defmacro`, and the forms that define them."""
