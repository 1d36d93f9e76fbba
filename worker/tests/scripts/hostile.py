"""Lua scripts for wrk that try to leave their sandbox: the attempt, and what must stop it.

Each attempt returns whether it got what it wanted, and the error otherwise. ``OTHER`` is the port of a server that no
script may reach, ``TARGET`` that of the trial's target, ``FOLDER`` the trial's folder, ``AGENT`` the agent's process.
"""

from typing import NamedTuple

PRELUDE = r"""
local ffi = require "ffi"
ffi.cdef [[
typedef struct { unsigned short family, port; unsigned char address[4]; char zero[8]; } in4;
typedef struct { unsigned short family, port; unsigned flow; unsigned char address[16]; unsigned scope; } in6;
typedef struct { unsigned short family; char path[108]; } un;
int socket(int, int, int); int connect(int, const void *, unsigned); int bind(int, const void *, unsigned);
int listen(int, int); long sendto(int, const void *, size_t, int, const void *, unsigned);
int fork(void); int kill(int, int); long ptrace(long, int, void *, void *); int setuid(unsigned);
int mount(const char *, const char *, const char *, unsigned long, const void *); int unshare(int);
int sethostname(const char *, size_t); long syscall(long, ...); void *malloc(size_t); void *memset(void *, int, size_t);
int pause(void); char *strerror(int); int mkdir(const char *, unsigned); int chmod(const char *, unsigned);
]]
local C = ffi.C
local function ok(result) return result >= 0, ffi.string(C.strerror(ffi.errno())) end
local function swapped(port) return bit.bor(bit.rshift(port, 8), bit.lshift(bit.band(port, 255), 8)) end
local function in4(a, b, c, d, port) return ffi.new("in4", 2, swapped(port), { a, b, c, d }) end
local function in6(last, port) return ffi.new("in6", 10, swapped(port), 0, last, 0) end
local function dial(family, kind, protocol, address)
    local descriptor = C.socket(family, kind, protocol)
    if descriptor < 0 then return ok(descriptor) end
    return ok(C.connect(descriptor, address, ffi.sizeof(address)))
end
local function opened(path, mode)
    local file, problem = io.open(path, mode or "r")
    if file and mode then
        local done, reason = file:write("x"); local closed, late = file:close()
        return done and closed, reason or late
    end
    return file ~= nil, problem
end
local function shell(command)
    local pipe = io.popen("( " .. command .. " ) 2>&1; echo status=$?")
    local said = pipe:read("*a"); pipe:close()
    return said:match("status=0") ~= nil, said:gsub("\n", " ")
end
local function attempt() %s end
local reached, problem = attempt()
print((reached and "REACHED " or "STOPPED ") .. tostring(problem))
io.stdout:flush()
os.exit(0, true)
"""

VIEW = "file view"
READ_ONLY = "read-only file system"
SMALL = "small /tmp"
CONNECT = "connect filter"
CALLS = "system call filter"
PROCESSES = "process namespace"
PRIVILEGES = "no privileges"
FILE_LIMIT = "limit of a file's size"
MEMORY_CAP = "max_memory_bytes"
PROCESS_CAP = "max_processes"

SAYS = {
    VIEW: "No such file|No such device|Permission denied",
    READ_ONLY: "Read-only file system|Permission denied",
    SMALL: "No space left|File too large",
    CONNECT: "Operation not permitted",
    CALLS: "Operation not permitted|Function not implemented",
    PROCESSES: "No such process",
    PRIVILEGES: "Operation not permitted|Permission denied",
    FILE_LIMIT: "File too large",
}
"""What the script hears from each, as a pattern."""


class Script(NamedTuple):
    """``attempt``: Lua. ``stopped_by``: what must stop it."""

    name: str
    attempt: str
    stopped_by: str


def _reads(name: str, path: str) -> Script:
    return Script(f"reads {name}", f'return opened("{path}")', VIEW)


SCRIPTS = [
    _reads("passwords", "/etc/passwd"),
    _reads("shadow", "/etc/shadow"),
    _reads("the agent's credential", "FOLDER/../../credential.json"),
    _reads("the owner's caps", "FOLDER/../../caps.toml"),
    _reads("nginx.conf", "FOLDER/nginx.conf"),
    _reads("keys of root", "/root/.ssh/id_rsa"),
    _reads("the environment of another process", "/proc/AGENT/environ"),
    _reads("its own memory by /proc", "/proc/self/mem"),
    _reads("/sys", "/sys/kernel/notes"),
    _reads("logs", "/var/log/dpkg.log"),
    _reads("a disk", "/dev/vda"),
    _reads("physical memory", "/dev/mem"),
    _reads("kernel messages", "/dev/kmsg"),
    Script("reads through a link", 'return shell("ln -s / /tmp/r && cat /tmp/r/etc/passwd")', VIEW),
    Script("lists home folders", 'return shell("ls /home")', VIEW),
    Script("writes to its folder", 'return opened("x", "w")', READ_ONLY),
    Script("writes to /", 'return opened("/x", "w")', READ_ONLY),
    Script("writes to /usr", 'return opened("/usr/bin/x", "w")', READ_ONLY),
    Script("writes to shared memory", 'return opened("/dev/shm/x", "w")', READ_ONLY),
    Script("writes to /dev", 'return opened("/dev/x", "w")', READ_ONLY),
    Script("changes its own script", 'return opened("stream.lua", "a")', READ_ONLY),
    Script("removes its own script", 'return os.remove("stream.lua")', READ_ONLY),
    Script("makes a folder", 'return ok(C.mkdir("/x", 511))', READ_ONLY),
    Script("makes a program executable for all", 'return ok(C.chmod("/usr/bin/wrk", 2559))', READ_ONLY),
    Script(
        "fills /tmp",
        'for n = 1, 64 do local done, why = shell("head -c 900000 /dev/zero > /tmp/f" .. n) '
        "if not done then return false, why end end return true",
        SMALL,
    ),
    Script(
        "writes a large file",
        'return shell("trap \'\' XFSZ; head -c 3000000 /dev/zero > /tmp/large")',
        FILE_LIMIT,
    ),
    Script("another port of this host", "return dial(2, 1, 0, in4(127, 0, 0, 1, OTHER))", CONNECT),
    Script("the target's port elsewhere", "return dial(2, 1, 0, in4(127, 0, 0, 2, TARGET))", CONNECT),
    Script("the Internet", "return dial(2, 1, 0, in4(192, 0, 2, 1, 443))", CONNECT),
    Script("metadata of a cloud", "return dial(2, 1, 0, in4(169, 254, 169, 254, 80))", CONNECT),
    Script("IPv6", "return dial(10, 1, 0, in6({ 0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,1 }, OTHER))", CONNECT),
    Script(
        "IPv4 in IPv6", "return dial(10, 1, 0, in6({ 0,0,0,0, 0,0,0,0, 0,0,255,255, 127,0,0,1 }, OTHER))", CONNECT
    ),
    Script(
        "TCP fast open",
        "local fd, to = C.socket(2, 1, 0), in4(127, 0, 0, 1, OTHER) "
        'return ok(C.sendto(fd, "GET / HTTP/1.0\\r\\n\\r\\n", 18, 0x20000000, to, ffi.sizeof(to)))',
        CONNECT,
    ),
    Script(
        "a shell's sockets", "return shell(\"bash -c 'echo GET / > /dev/tcp/127.0.0.1/OTHER'\")", CONNECT
    ),
    Script(
        "another program's sockets",
        'return shell("python3 -c \'import socket; socket.create_connection((\\"127.0.0.1\\", OTHER))\'")',
        CONNECT,
    ),
    Script("UDP", "return ok(C.socket(2, 2, 0))", CALLS),
    Script("UDP over IPv6", "return ok(C.socket(10, 2, 0))", CALLS),
    Script("abstract sockets of this host", "return ok(C.socket(1, 1, 0))", CALLS),
    Script("netlink", "return ok(C.socket(16, 3, 0))", CALLS),
    Script("raw packets", "return ok(C.socket(2, 3, 1))", CALLS),
    Script("raw frames", "return ok(C.socket(17, 3, 0))", CALLS),
    Script("the hypervisor", "return ok(C.socket(40, 1, 0))", CALLS),
    Script("Multipath TCP", "return ok(C.socket(2, 1, 262))", CALLS),
    Script("SCTP", "return ok(C.socket(2, 1, 132))", CALLS),
    Script("waits at a port", "local a = in4(0, 0, 0, 0, 0) return ok(C.bind(C.socket(2, 1, 0), a, 16))", CALLS),
    Script("waits at any port", "return ok(C.listen(C.socket(2, 1, 0), 9))", CALLS),
    Script("io_uring", 'return ok(tonumber(C.syscall(425, 8, ffi.new("char[256]"))))', CALLS),
    Script("the 32-bit calls of x32", "return ok(tonumber(C.syscall(0x40000000 + 41, 2, 2, 0)))", CALLS),
    Script("kills the agent", "return ok(C.kill(AGENT, 9))", PROCESSES),
    Script("traces the agent", "return ok(tonumber(C.ptrace(16, AGENT, nil, nil)))", CALLS),
    Script("becomes root", "return ok(C.setuid(0))", f"{PRIVILEGES}, user namespace"),
    Script("makes a user namespace", "return ok(tonumber(C.syscall(272, ffi.cast('long', 0x10000000))))", CALLS),
    Script(
        "clones into a user namespace",
        "return ok(tonumber(C.syscall(56, ffi.cast('long', 0x10000011), nil, nil, nil, nil)))",
        CALLS,
    ),
    Script("keeps a key in the kernel", "return ok(tonumber(C.syscall(250, 0, -3, 0)))", CALLS),
    Script("handles page faults", "return ok(tonumber(C.syscall(323, 1)))", CALLS),
    Script("mounts", 'return ok(C.mount("none", "/tmp", "tmpfs", 0, nil))', CALLS),
    Script("renames the host", 'return ok(C.sethostname("x", 1))', CALLS),
    Script("loads a program into the kernel", "return ok(tonumber(C.syscall(321, 5, nil, 0)))", CALLS),
    Script("forks for ever", "while true do if C.fork() == 0 then C.pause() end end", PROCESS_CAP),
    Script(
        "takes all memory",
        "for n = 1, 64 do C.memset(C.malloc(2^26), 1, 2^26) end return true",
        MEMORY_CAP,
    ),
]  # fmt: skip
