"""Models of pictures: an architecture a file, image processors, labels and boxes."""
