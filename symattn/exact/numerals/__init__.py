"""Rational numbers and numerals: conversion, rounding, and text.

It imports nothing of `symattn.exact`. Start with `rational`, the border for numbers from outside; `decimals` has the
rounding rules.
"""
