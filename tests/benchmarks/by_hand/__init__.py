"""The wrapped libraries, called directly, as their own users call them: one function per strategy and round."""
