"""Draws the pictures of the documentation: ``python -m scripts.pictures``.

Layout diagrams are drawn from `layouts`, charts from the published tables and records. Each picture is one SVG that
follows the theme of its page. No picture is edited by hand.
"""
