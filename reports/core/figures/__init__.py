"""Pictures of a score as accessible SVG, made on the server: one drawing for the page and for the PDF."""
