"""Running a qualification pack against an endpoint: capture, journal, judge, bundle, and later checks."""
