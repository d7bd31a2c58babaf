"""The research mathematics agent: rounds of proposers and verifiers over one memory that only grows."""
