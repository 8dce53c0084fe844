"""Typed kernels: plain loops over distinct states, called by the classes that validated their input."""
