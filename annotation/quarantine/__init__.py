"""Outputs that may tell who wrote them: kept from blinded people until somebody decides."""
