#!/bin/sh
# A change on its way from request to commit: each step by the role that may take it, in a new folder that is removed at the end.
# MATHCHAIN is the program; by default the one on the path.
set -eu
mathchain=${MATHCHAIN:-mathchain}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
git init --quiet --initial-branch=main
git config user.name Ada
git config user.email ada@example.org
"$mathchain" init > init.log

# as ROLE TOOL ARGUMENTS...: calls a tool in a role, and prints the id and the status of its item.
as() {
    role=$1
    shift
    printf '%-9s %-22s ' "$role" "$1"
    "$mathchain" call "$@" --role "$role" --output human > answer.txt || { cat answer.txt; exit 1; }
    awk '$1 == "id" { id = $2 } $1 == "status" { status = $2 } $1 == "subject" { id = ""; status = $0 } END { print id, status }' answer.txt
}

# not ROLE TOOL ARGUMENTS...: the call has to be refused.
not() {
    role=$1
    shift
    printf '%-9s %-22s ' "$role" "$1"
    if "$mathchain" call "$@" --role "$role" --output human > answer.txt 2>&1; then
        echo "was not refused"
        exit 1
    fi
    sed -n 1p answer.txt
}

as ideation request:create --type cr --title "Read numbers" --domain parser --content "Numbers have to be read, and 1e400 is an error."
request=$(awk '$1 == "id" { print $2; exit }' answer.txt)
as operator chain:create --requestId "$request" --title "Number parser"
chain=$(awk '$1 == "id" { print $2; exit }' answer.txt)
as operator task:create --chainId "$chain" --title "Read integers" --ready true
task=$(awk '$1 == "id" { print $2; exit }' answer.txt)
as operator task:start --chainId "$chain" --taskId "$task"

echo 'def number(text): return int(text)' > parser.py
not review task:submit --chainId "$chain" --taskId "$task"
as impl task:submit --chainId "$chain" --taskId "$task" --summary "Integers are read."
not impl task:approve --chainId "$chain" --taskId "$task"
as review task:request_changes --chainId "$chain" --taskId "$task" --reason "1e400 is no error yet." --suggestions '["Check the range."]'
echo 'def number(text): return int(text, 10)' > parser.py
as impl task:submit --chainId "$chain" --taskId "$task" --summary "Only digits are read."
as review task:approve --chainId "$chain" --taskId "$task"
as review chain:approve --chainId "$chain"
as review request:approve --requestId "$request"
as commit git:commit --message "feat(parser): read integers" --files '["parser.py"]' --yes
as operator request:close --requestId "$request"

echo
"$mathchain" call chain:summary --chainId "$chain" --role review --output human > summary.txt
grep -E '^ +(summary|reason) ' summary.txt || cat summary.txt
echo
"$mathchain" events
