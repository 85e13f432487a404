"""What the environments of all platforms share."""
