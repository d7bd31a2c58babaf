"""The question which system wrote an answer."""
