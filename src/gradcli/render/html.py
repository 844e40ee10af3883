"""x"""
from .svg import svg as html
