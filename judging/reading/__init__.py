"""Reading what a judge was given and what it replied, by people and again by the parser."""
