"""Rules over several tables that no single constraint can hold."""
