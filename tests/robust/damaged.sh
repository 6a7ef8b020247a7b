#!/bin/sh
# A sample of what `make robust` does in full.
# timeout: 300
set -eu
exec "$KILN_SRC/tests/robust/run" "$KILN_BUILD" 60 400
