"""The judges of a track side by side, and every system under every judge."""
