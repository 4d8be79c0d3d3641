"""The demonstration: real matches, made-up people, and the same services that the desks and the site use."""
