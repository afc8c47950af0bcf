"""What only the Buffers page needs."""
