"""How much to audit, compare or grade before a study begins."""
