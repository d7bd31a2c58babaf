"""Finding a statement: by page, by REST, beside a grading page, and what people say of the results."""
