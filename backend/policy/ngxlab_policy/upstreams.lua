-- Upstream groups that change while nginx runs, behind the HTTP interface of Tengine's dyups module.
-- As in dyups, changes stand in shared memory, each worker looks for new ones by a timer of its own and applies them
-- while it holds one lock that all workers share: whoever waits for the lock serves no request meanwhile.
-- Applying a change costs microseconds here; `lock_us_per_node` makes it cost what it is to cost (a simulation).

local balancer = require "ngx.balancer"
local ffi = require "ffi"

ffi.cdef [[
int open(const char *path, int flags, ...);
int flock(int descriptor, int operation);
int usleep(unsigned int microseconds);
]]
local O_RDWR, O_CREAT, O_CLOEXEC, MODE = 2, 64, 524288, 384
local LOCK_EX, LOCK_NB, LOCK_UN = 2, 4, 8
local EINTR, EWOULDBLOCK = 4, 11
local RECORD_KEPT_S = 3600
local NO_PEER = -3 -- NGX_BUSY: nginx answers 502

local M = {}
local shared = ngx.shared.ngxlab_upstreams
local settings, lock_file
local groups, applied = {}, 0 -- of this worker: groups by name, and the number of the last change it has seen

-- The kernel gives the lock back if a worker dies, and wakes who waits for it.
local function lock(wait)
    local operation = wait and LOCK_EX or LOCK_EX + LOCK_NB
    while ffi.C.flock(lock_file, operation) ~= 0 do
        local problem = ffi.errno()
        if problem == EWOULDBLOCK then
            return false
        elseif problem ~= EINTR then
            error("flock: error " .. problem)
        end
    end
    return true
end

local function unlock()
    ffi.C.flock(lock_file, LOCK_UN)
end

local function parsed(text)
    local group = { text = text, hosts = {}, ports = {}, count = 0, turn = ngx.worker.id() or 0 }
    for host, port in text:gmatch("server%s+([^;%s]+):(%d+)") do
        group.count = group.count + 1
        group.hosts[group.count], group.ports[group.count] = host, tonumber(port)
    end
    return group
end

local function apply(name)
    local text, known = shared:get("group:" .. name), groups[name]
    if not known or known.text ~= text then
        groups[name] = text and parsed(text)
    end
    return groups[name]
end

-- Apply what has been changed since the last time, with the lock held, and hold it for what that costs.
local function catch_up()
    local last, nodes, names = shared:get("changes") or 0, 0, {}
    for number = applied + 1, last do
        local record = shared:get("change:" .. number)
        if record then -- not one of an hour ago
            local cost, name = record:match("^(%d+) (.+)$")
            nodes, names[name] = nodes + tonumber(cost), true
        end
    end
    for name in pairs(names) do
        apply(name)
    end
    applied = last
    if nodes * settings.lock_us_per_node >= 1 then
        ffi.C.usleep(nodes * settings.lock_us_per_node)
    end
end

local function with_lock(work, ...)
    if not lock(not settings.trylock) then
        return false
    end
    local fine, problem = pcall(work, ...)
    unlock()
    return true, not fine and tostring(problem) or nil
end

-- Armed anew only when a reading is over, as in dyups: workers that had to wait for each other drift apart.
local function read(premature)
    if premature then
        return
    end
    local _, problem = with_lock(catch_up)
    if problem then
        ngx.log(ngx.ERR, "upstreams: ", problem)
    end
    ngx.timer.at(settings.interval_s, read)
end

local function set(key, value, expires)
    local stored, problem = shared:safe_set(key, value, expires or 0)
    if not stored then
        error(problem)
    end
end

-- A group that did not exist costs nothing: filling nginx before a trial is not what is measured.
local function publish(name, group)
    local before = shared:get("group:" .. name)
    local cost = before and (group or parsed(before)).count or 0
    if group then
        set("group:" .. name, group.text)
        groups[name] = group
    else
        shared:delete("group:" .. name)
    end
    local names = shared:get("names") or ""
    if not before then
        set("names", names .. name .. "\n")
    end
    local number = (shared:get("changes") or 0) + 1
    set("change:" .. number, cost .. " " .. name, RECORD_KEPT_S)
    set("changes", number)
    catch_up()
end

local function answer(status, text)
    ngx.status = status
    ngx.header.content_length = #text + 1
    ngx.say(text)
end

local function nodes_of(group)
    local lines = {}
    for i = 1, group.count do
        lines[i] = "server " .. group.hosts[i] .. ":" .. group.ports[i]
    end
    return table.concat(lines, "\n")
end

local function change(name, group)
    local locked, problem = with_lock(publish, name, group)
    if not locked then
        return answer(409, "another change is being applied; retry later")
    end
    answer(problem and 500 or 200, problem or "success")
end

function M.set_up(given)
    settings = given
end

function M.start()
    lock_file = ffi.C.open(settings.lock_path, O_RDWR + O_CREAT + O_CLOEXEC, ffi.new("int", MODE))
    if lock_file < 0 then
        return ngx.log(ngx.CRIT, "upstreams: cannot open ", settings.lock_path)
    end
    -- A worker that begins later, after a reload, has nothing to catch up with: it reads how things are.
    applied = shared:get("changes") or 0
    for name in (shared:get("names") or ""):gmatch("[^\n]+") do
        apply(name)
    end
    ngx.timer.at(settings.interval_s, read)
end

function M.balance(name)
    local group = groups[name] or apply(name)
    if not group then
        return ngx.exit(NO_PEER)
    end
    group.turn = group.turn % group.count + 1
    local chosen, problem = balancer.set_current_peer(group.hosts[group.turn], group.ports[group.turn])
    if not chosen then
        ngx.log(ngx.ERR, "upstreams: ", problem)
        return ngx.exit(NO_PEER)
    end
end

function M.list()
    local names = {}
    for name in pairs(groups) do
        names[#names + 1] = name
    end
    answer(200, table.concat(names, "\n"))
end

function M.detail()
    local parts = {}
    for name, group in pairs(groups) do
        parts[#parts + 1] = name .. "\n" .. nodes_of(group) .. "\n"
    end
    answer(200, table.concat(parts, "\n"))
end

function M.upstream()
    local name, method = ngx.var.uri:match("^/upstream/([%w_-]+)$"), ngx.req.get_method()
    if not name then
        return answer(404, "no such place")
    elseif method == "POST" then
        ngx.req.read_body()
        local group = parsed(ngx.req.get_body_data() or "")
        if group.count == 0 then
            return answer(400, "the body has no server ADDRESS:PORT;")
        end
        return change(name, group)
    elseif not groups[name] then
        return answer(404, "there is no upstream " .. name)
    elseif method == "DELETE" then
        return change(name, nil)
    end
    answer(200, nodes_of(groups[name]))
end

ngxlab_upstreams = M
