"""One folder for each recipe: its code, its prompts, an example, and settings of published runs."""
