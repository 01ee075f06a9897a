"""Objects, memory limits, reports."""
