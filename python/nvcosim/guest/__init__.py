"""The Linux guest of `nvcosim linux`: what it is made of, and what it says."""
