"""Values and labels: cells as Python objects, tagged labels, time zones, record batches in memory."""
