"""Parts of run.py."""
