"""What only the Runs & cost page needs."""
