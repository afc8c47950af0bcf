"""What only the Home page needs."""
