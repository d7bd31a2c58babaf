"""What every module of the child raises."""


class Unreadable(Exception):
    """A file that is not accepted; the message is for the person who sent it."""
