"""Models that run in this process: the encoder, the compressor, the language pipeline; and the rules for dates."""
