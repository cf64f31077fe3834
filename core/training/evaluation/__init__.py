"""What is measured of a translator, one question a file."""
