"""Strategies written from their papers: exact, incremental, and tested against brute force."""
