"""StaticFrame's class names for datetime64 labels of each unit. Every adapter uses them for its levels."""

DATED = {
    "Y": "IndexYear",
    "M": "IndexYearMonth",
    "D": "IndexDate",
    "h": "IndexHour",
    "m": "IndexMinute",
    "s": "IndexSecond",
    "ms": "IndexMillisecond",
    "us": "IndexMicrosecond",
    "ns": "IndexNanosecond",
}
