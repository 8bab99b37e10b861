"""Reads the fuzzer's inputs, golden files and public corpora with other readers too, and compares all values.

    python -m scripts.oracles                       # the table of docs/trust/reliability.md
    python -m scripts.oracles --only parquet        # one format
    python -m scripts.oracles --only csv FILE...    # these files, with each result

Each file is read by Colonnade and by independent readers, in child processes with 4 GB of address space, and the values
are compared to the bit. Where both refuse a file, they agree. Where one of them reads it, the reason of the other is
counted. A difference of values is explained by a documented rule (`rules.py`), or it ends the run with status 1.
All results are in `target/oracles/results.jsonl`.
"""
