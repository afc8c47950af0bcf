"""In-process models: encoder, compressor, language pipeline; and the rules for dates."""
