-- SPDX-License-Identifier: MIT
-- The Lua binding: values, scopes, systems, conditions, errors.
local keel = require("keel")

local Position = keel.component("Position", { { "x", "f32" }, { "y", "f32" } })
local Velocity = keel.component("Velocity", { { "x", "f32" }, { "y", "f32" } }, { storage = keel.lib.KEEL_ARCHETYPE })
local Owner = keel.component("Owner", { { "who", "entity" }, { "since", "u16" } })
local Frozen = keel.component("Frozen")
local Time = keel.unique("Time", { { "step", "f64" }, { "frames", "u32" } })

local world = keel.world("test")

-- values are those that were given
local a = world:add_entity(Position(1, 2), Frozen)
local b = world:add_entity(Owner { who = a, since = 7 }, Velocity)
assert(world:get(a, Position).x == 1 and world:get(a, Position).y == 2)
assert(world:get(b, Owner).who == a and world:get(b, Owner).since == 7 and world:get(b, Velocity).x == 0)
assert(world:get(a, Frozen) and not world:has(b, Frozen))
world:get_mut(a, Position).x = 9
assert(world:get(a, Position).x == 9)
assert(world:delete(a, Frozen) and not world:delete(a, Frozen))
assert(world:delete(a) and not world:is_alive(a) and not world:delete(a))
assert(world:get(a, Position) == nil)

-- errors are Lua errors with a message
local function fails(text, call, ...)
    local ok, message = pcall(call, ...)
    assert(not ok and tostring(message):find(text, 1, true), "'" .. tostring(message) .. "' lacks: " .. text)
end
fails("null", world.add, world, keel.null, Position(1, 1))
fails("itself", world.attach, world, b, b)
fails("neither a component", world.add, world, b, 3)
fails("a tag", Frozen, 3)

-- systems get what their terms say; spans are long enough for the compiler of LuaJIT to be at work
local seen = 0
local move = keel.system("move", { keel.write(Position), keel.optional_read(Velocity), keel.without(Frozen),
    keel.unique_read(Time), keel.entity, keel.commands }, function(p, v, time, e, commands)
    seen = seen + 1
    p.x = p.x + (v and v.x or 1) * time.step
    if p.x > 1000 then commands:delete(e) end
end)
world:set_unique(Time(0.5))
local entities = {}
for i = 0, 1999 do
    local e = world:add_entity(Position(i, 0))
    entities[i] = e
    if i % 2 == 0 then world:add(e, Velocity(10)) end
    if i % 3 == 0 then world:add(e, Frozen) end
end
assert(world:run(move))
for i = 0, 1999 do
    local x = i + (i % 3 == 0 and 0 or i % 2 == 1 and 0.5 or 5)
    local alive = i % 3 == 0 or x <= 1000
    assert(world:is_alive(entities[i]) == alive)
    if alive then assert(world:get(entities[i], Position).x == x) end
end
assert(seen == 2000 - 667)

-- conditions answer, and workloads run
local ship = world:add_entity(Position(0, 0), Owner)
local three_times = keel.condition("three_times", { keel.unique_write(Time) }, function(time)
    time.frames = time.frames + 1
    return time.frames <= 3
end)
local right = keel.system("right", { keel.write(Position), keel.with(Owner) }, function(p) p.x = p.x + 1 end)
local look = keel.system_once("look", { keel.may_read(Position), keel.context, keel.unique_write(Time) },
    function(context, time) time.step = context:get(ship, Position).x end)
world:add_step("frame", right, { run_if = three_times })
world:add_step("frame", look, { after = "right" })
for _ = 1, 5 do world:run_workload("frame") end
assert(world:get(ship, Position).x == 3)
assert(world:get_unique(Time).step == 3 and world:get_unique(Time).frames == 5)

-- an error of a system is raised by run
local calls = 0
local bad = keel.system("bad", { keel.read(Position) }, function()
    calls = calls + 1
    error("no good")
end)
fails("no good", world.run, world, bad)
assert(calls == 1)

-- commands wait
local commands = world:commands()
local later = commands:add_entity(Position(7, 7))
assert(not world:is_alive(later))
world:apply_commands()
assert(world:get(later, Position).x == 7)

-- what was not declared is refused
local looks = keel.system_once("looks", { keel.context }, function(context) context:get(ship, Position) end)
fails("looks", world.run, world, looks)

world:close()
print("ok")
