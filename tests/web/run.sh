#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/web/run.sh programs [PROGRAM...]        the pages of make web: draws, plays a little; default: all
#        tests/web/run.sh book                         the pages of make book: links, errors, width, search
#        tests/web/run.sh inspector ADDRESS            the page of a program that runs with keel::inspect; the address that it printed
# Opens pages in Chromium, without a display; pictures go to out/web-shots. The browser is driven by playwright-core,
# which npm installs into build/web/node. CHROMIUM=FILE names another browser of that family.
set -eu
case ${1-} in -h | --help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")/../.."
case ${1-} in
programs) site=out/web target=web ;;
book) site=out/book target=book ;;
inspector) site=${2:?tests/web/run.sh: an address is missing: the one that the program printed} target= ;;
*) sed -n '3,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
test=$1
shift
[ "$test" != inspector ] || shift
node_folder=build/web/node
[ -z "$target" ] || [ -f "$site/index.html" ] || { echo "tests/web/run.sh: $site/index.html is missing: run make $target" >&2; exit 2; }
export CHROMIUM="${CHROMIUM:-$(command -v chromium || true)}"
[ -x "$CHROMIUM" ] || { echo "tests/web/run.sh: chromium is missing: run tools/install_packages browser" >&2; exit 2; }
mkdir -p "$node_folder" out/web-shots
cp tests/web/package.json tests/web/package-lock.json tests/web/*.mjs "$node_folder/"
[ -d "$node_folder/node_modules/axe-core" ] || (cd "$node_folder" && npm ci --silent --no-audit --no-fund)
exec node "$node_folder/$test.mjs" "$site" out/web-shots "$@"
