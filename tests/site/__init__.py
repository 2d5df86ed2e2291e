"""The documentation site: the repository's own documents, built without a warning."""
