"""From emitted C to an executable, and what is kept of compiled code."""
