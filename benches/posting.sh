# shellcheck shell=bash disable=SC2154
# Posts over the Direct Line channel with wrk, for the load scripts that read this file behind `servers.sh`: messages of 1.2 kB that
# go to the conversations of a file in turn, each with its own token.
#
#     . benches/posting.sh        makes activity.json and post.lua in $folder

text=$(printf 'Leave is 30 days a year, and what is not taken expires after one. %.0s' $(seq 17))
printf '{"type":"message","from":{"id":"dl_ann"},"text":"%s"}' "$text" >"$folder/activity.json"
cat >"$folder/post.lua" <<'LUA'
local posts, turn = {}, 0

function init(arguments)
    local file = assert(io.open(arguments[2], "rb"))
    local body = file:read("*a")
    file:close()
    for line in io.lines(arguments[1]) do
        local id, token = line:match("^(%S+) ?(%S*)")
        local headers = { ["Content-Type"] = "application/json" }
        if token ~= "" then headers["Authorization"] = "Bearer " .. token end
        posts[#posts + 1] = wrk.format("POST", wrk.path .. "/conversations/" .. id .. "/activities", headers, body)
    end
end

function request()
    turn = turn % #posts + 1
    return posts[turn]
end

function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    print(string.format("figures %.0f %.0f %.0f %d %d", summary.requests / summary.duration * 1e6,
        latency:percentile(50), latency:percentile(99), summary.requests, failed))
end
LUA

# Starts this many conversations at a URL and writes a line for each to a file: its id, and its token if it has one.
start() {
    local number
    for number in $(seq "$3"); do
        [ "$number" -eq 1 ] || echo next
        printf 'url = "%s/conversations"\nrequest = POST\nheader = "Authorization: Bearer %s"\n' "$1" "$secret"
        printf 'header = "Content-Type: application/json"\ndata = "{\\"user\\":{\\"id\\":\\"dl_ann\\"}}"\nwrite-out = "\\n"\nfail\nsilent\nshow-error\n'
    done >"$folder/start.curl"
    curl --config "$folder/start.curl" |
        sed -nE 's/.*"conversationId": ?"([^"]+)".*/\1 &/p' | sed -E 's/ .*"token": ?"([^"]+)".*/ \1/; s/ \{.*//' >"$2"
    [ "$(wc -l <"$2")" -eq "$3" ] || { echo "$1 did not start $3 conversations" >&2; exit 1; }
}

# Posts once to the first conversation of a file.
post_once() {
    local id token
    read -r id token <"$2"
    curl -sSf "$1/conversations/$id/activities" -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' --data-binary "@$folder/activity.json" >"$folder/posted.json"
}

# Posts with this many connections to a URL, to the conversations of a file, for this many seconds: posts per second, p50 and p99 in
# microseconds, answers, and those that failed.
post() {
    local figures answers failed
    figures=$(wrk -t1 -c"$1" -d"$4"s --latency -s "$folder/post.lua" "$2" -- "$3" "$folder/activity.json" |
        sed -n 's/^figures //p')
    read -r _ _ _ answers failed <<<"$figures"
    if [ "${failed:-1}" -ne 0 ] || [ "${answers:-0}" -eq 0 ]; then
        echo "$2: ${failed:-all} of ${answers:-the} answers are errors" >&2
        exit 1
    fi
    echo "$figures"
}

median() { awk -v column="$1" '{print $column}' "$2" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
