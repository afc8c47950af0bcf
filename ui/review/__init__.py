"""What only the Review page needs."""
