"""sigtrans ports CUDA source trees to MUSA and says what it could not port."""

__version__ = "0.1.0"
