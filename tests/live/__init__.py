"""What a real model server makes of the whole: llama.cpp's own, with SmolLM2."""
