"""What only LispE programs ask of the system."""
