"""A production from Debian's packages by the files in deploy/, tried and rolled to a new version: `make production`."""
