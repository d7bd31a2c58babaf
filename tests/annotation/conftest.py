from tests.annotation.campaigns import drafted, opened, place, rubric

__all__ = ["drafted", "opened", "place", "rubric"]
