"""Topic segmentation: cues, features and scores between turns, and the named rules."""
