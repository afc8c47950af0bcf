"""What only the Graph page needs."""
