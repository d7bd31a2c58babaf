"""The error that every module of the child process raises."""


class Unreadable(Exception):
    """A file that is not accepted; the message is for the person who sent it."""
