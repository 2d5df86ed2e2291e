"""The console: tables, coups and exceptions for people, as pages. It calls the services and keeps nothing."""
