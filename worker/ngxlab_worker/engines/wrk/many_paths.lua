-- All requests are made before the load begins; drawing one of them then costs almost nothing.
local threads = 0
function setup(thread)
   threads = threads + 1
   thread:set("seed", ${seed} + threads)
end
local requests = {}
function init(args)
   math.randomseed(seed)
   for i = 1, ${made} do
      local n = ${count} == ${made} and i - 1 or math.random(0, ${count} - 1)
      requests[i] = wrk.format(nil, ${before} .. string.format("%d", n) .. ${after})
   end
end
function request()
   return requests[math.random(${made})]
end
