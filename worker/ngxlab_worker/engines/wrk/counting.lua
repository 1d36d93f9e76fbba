-- Each thread has a state of its own; `done` runs in another and reads their globals, one for each status.
local seed_thread = setup
local all_threads = {}
function setup(thread)
   if seed_thread then seed_thread(thread) end
   table.insert(all_threads, thread)
end
local names = {}
for status = 100, 999 do names[status] = "status_" .. status end
function response(status)
   local name = names[status]
   _G[name] = (_G[name] or 0) + 1
end
function done()
   for status = 100, 999 do
      local count = 0
      for _, thread in ipairs(all_threads) do count = count + (thread:get(names[status]) or 0) end
      if count > 0 then print(string.format("responses with status %d: %d", status, count)) end
   end
end
