"""What only the Update queue page needs."""
