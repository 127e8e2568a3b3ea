#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/web/run.sh [PROGRAM...]        default: those that out/web has
# Opens the pages of make web in Chromium, without a display, and plays a little. The browser is driven by
# playwright-core, which npm installs into build/web/node. CHROMIUM=FILE names another browser of that family.
set -eu
case ${1-} in -h | --help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")/../.."
node_folder=build/web/node
[ -f out/web/index.html ] || { echo "tests/web/run.sh: out/web/index.html is missing: run make web" >&2; exit 2; }
export CHROMIUM="${CHROMIUM:-$(command -v chromium || true)}"
[ -x "$CHROMIUM" ] || { echo "tests/web/run.sh: chromium is missing: run tools/install_packages web" >&2; exit 2; }
mkdir -p "$node_folder" out/web-shots
cp tests/web/package.json tests/web/package-lock.json tests/web/smoke.mjs "$node_folder/"
[ -d "$node_folder/node_modules/playwright-core" ] || (cd "$node_folder" && npm ci --silent --no-audit --no-fund)
exec node "$node_folder/smoke.mjs" out/web out/web-shots "$@"
