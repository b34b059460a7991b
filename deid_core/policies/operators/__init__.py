"""The operators of a policy: what stands in place of a span.

Placeholders are made in policies/redaction.py, surrogates in policies/surrogates.
"""
