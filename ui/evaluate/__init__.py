"""What only the Evaluate page needs."""
