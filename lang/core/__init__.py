"""What both back ends share: the Core language, its analysis and its checks."""
