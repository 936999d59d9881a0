"""Complete, runnable recipes; installed as `paddlite.recipes`, so that they are found by name from anywhere."""
