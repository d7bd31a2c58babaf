"""What the whole REST interface shares: sign-in, errors, filters, pages, schema, repeated writes."""
