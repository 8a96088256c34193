"""Two memory images, or the programming of two traces or captures, side by side."""
