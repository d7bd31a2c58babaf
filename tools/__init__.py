"""Scripts behind the Makefile. They run on a bare Python 3.11 and import nothing but its standard library."""
