"""Programs of protocols as judges, in child processes with a time limit."""
