#!/usr/bin/env python3
"""Writes a C header that holds a text file as a string: embed.py IN OUT NAME"""
import sys

source, header, name = sys.argv[1:]
with open(source, encoding="utf-8") as f:
    lines = f.read().splitlines()
with open(header, "w", encoding="utf-8") as f:
    f.write(f"static const char {name}[] =\n")
    for line in lines:
        text = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        f.write(f'\t"{text}\\n"\n')
    f.write("\t;\n")
