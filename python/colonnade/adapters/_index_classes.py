"""StaticFrame's words for labels of datetime64: the class of each unit, which every adapter gives its levels."""

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
