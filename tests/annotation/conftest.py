from tests.annotation.campaigns import drafted, opened, place, rubric, second_algebraist, split

__all__ = ["drafted", "opened", "place", "rubric", "second_algebraist", "split"]
