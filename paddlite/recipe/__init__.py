"""Row 6: recipes: what a YAML file may say, and the training loop that does it.

Reading and checking a recipe loads neither NumPy nor the engine; a mistake is shown before anything starts.
"""
