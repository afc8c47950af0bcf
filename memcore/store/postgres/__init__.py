"""The store in a PostgreSQL database with pgvector. Loaded only where an address names one."""
