"""Models of pictures, and how images become their pixels."""
