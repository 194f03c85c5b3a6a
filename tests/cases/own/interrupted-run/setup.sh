#!/usr/bin/env bash
set -euo pipefail
for i in $(seq 0 599); do printf '# Page %d\n\nToken waxwing%d of the survey.\n' "$i" "$i" > "page$(printf %03d "$i").md"; done
