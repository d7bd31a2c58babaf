"""Finding a statement: by page, by REST, from a grading page, and what people say about the results."""
