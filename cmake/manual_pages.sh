#!/bin/sh
# manual_pages.sh HELP2MAN MLSIM FOLDER: manual pages of mlsim and its commands, made of their --help.
set -eu
help2man=$1 mlsim=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
number=$("$mlsim" --version | cut -d ' ' -f 2)
page() {
  "$help2man" --no-info --version-string "$3 $number" --name "$2" --output "$folder/$3.1" "$1"
  gzip -9n "$folder/$3.1"
}
page "$mlsim" "$("$mlsim" --help | head -n 1 | sed 's/^mlsim //')" mlsim
"$mlsim" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command description; do
  page "$mlsim $command" "$description" "mlsim-$command"
done
