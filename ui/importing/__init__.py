"""What only the Import page needs."""
