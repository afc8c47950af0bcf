"""What only the Compression page needs."""
