"""Builds: a recipe followed through papers, with questions to a model, until their lines make a release."""
