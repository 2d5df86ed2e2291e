"""`sabot`, the command for people: plays and proves table logs, shows rulebooks and odds."""
