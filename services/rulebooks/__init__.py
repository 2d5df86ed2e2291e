"""The rulebooks that come with Sabot, as documents, and the catalogue that loads them."""
