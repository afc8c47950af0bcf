"""LiCoMemory: CogniGraph and a search that goes down its layers."""
