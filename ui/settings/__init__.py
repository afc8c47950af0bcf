"""What only the Settings page needs."""
