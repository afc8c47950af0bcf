"""A raw message to sentences: cleaned, divided, freed of what frames them, screened."""
