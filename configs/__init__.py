"""Fragments that recipes are composed of (`base:`); not runnable alone."""
