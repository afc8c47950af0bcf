"""What only the Ask page needs."""
