"""The domain: models, errors, protocols, names and drafts. It imports nothing else of memcore."""
