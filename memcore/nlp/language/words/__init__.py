"""Words without a parse: the lexicon, is it English, key phrases and categories."""
