"""The finer type of spans: a name is the patient's, a relative's or a clinician's, a date the day of birth.

facts.py: what stands around and in a span. repeats.py: what other places of the same name say. decide.py: the step of
the engine. model.py: its weights, which `deid train subtypes` makes.
"""
