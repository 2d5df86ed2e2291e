"""The published language: events of every service, their envelope, topics and schemas."""
