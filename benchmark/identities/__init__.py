"""Who wrote this? What in an output's text tells it, found at import and before anybody grades it blind."""
