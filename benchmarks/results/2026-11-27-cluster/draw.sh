#!/bin/sh
# Draws contrast.md and the plots again from the kept runs. Wants numpy and matplotlib; PYTHON=/usr/bin/python3 is Debian's,
# with python3-numpy and python3-matplotlib.
set -e
cd "$(dirname "$0")"
analyse="${PYTHON:-python3} ../../../src/cluster/experiment/analyse.py"
$analyse tier1.csv --arms A4 --where at_once=15 --plot contrast.png > contrast.md
$analyse tier1.csv --where at_once=15,ranks=20 --plot arms.png > /dev/null
$analyse scaling.csv --scaling scaling.png > /dev/null
