"""From emitted C to an executable, and the cache of compiled code."""
