"""Pages: `reviewer` for those who grade blind, `campaigns` for those who run the study."""
