"""What is shipped for running Sabot: image, compose files, manifests, alerts, and their checks."""
