"""Subtypes of spans: a name is the patient's, a relative's or a clinician's, a date is the day of birth.

subtype_features.py: the features of a span. repeat_features.py: features from other occurrences of the same name.
classifier.py: the step of the engine. patient_name.py: rules for the patient's full name, which come last.
subtype_model.py: the weights, which `deid train subtypes` trains.
"""
