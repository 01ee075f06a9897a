"""Times, dates and time zones."""
