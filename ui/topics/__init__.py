"""What only the Topics page needs."""
