"""What only the Compare page needs."""
