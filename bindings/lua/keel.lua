-- SPDX-License-Identifier: MIT
-- Keel for LuaJIT: worlds, components made at run time, systems that are Lua functions.
--
--     local keel = require("keel")
--     local Position = keel.component("Position", { { "x", "f32" }, { "y", "f32" } })
--     local Velocity = keel.component("Velocity", { { "x", "f32" }, { "y", "f32" } })
--     local move = keel.system("move", { keel.write(Position), keel.read(Velocity) }, function(p, v)
--         p.x = p.x + v.x
--     end)
--     local world = keel.world()
--     local ship = world:add_entity(Position(1, 2), Velocity { x = 3 })
--     world:run(move)
--
-- The shared library is the file that LIBKEEL names, else libkeel.so. What this layer does not wrap
-- is there as `keel.lib`, with the names of keel/core.h. Errors are Lua errors; what was not there to
-- begin with is false. Values are pointers into the world: valid until the next edit of their component.
-- Lua runs in one thread, so these worlds have one worker.
local ffi = require("ffi")
local core = require("keel_core")
local lib = ffi.load(os.getenv("LIBKEEL") or "keel")

local keel = { lib = lib, core = core }

local types = {
    bool = { "bool", lib.KEEL_FIELD_BOOL }, i8 = { "int8_t", lib.KEEL_FIELD_I8 }, u8 = { "uint8_t", lib.KEEL_FIELD_U8 },
    i16 = { "int16_t", lib.KEEL_FIELD_I16 }, u16 = { "uint16_t", lib.KEEL_FIELD_U16 },
    i32 = { "int32_t", lib.KEEL_FIELD_I32 }, u32 = { "uint32_t", lib.KEEL_FIELD_U32 },
    i64 = { "int64_t", lib.KEEL_FIELD_I64 }, u64 = { "uint64_t", lib.KEEL_FIELD_U64 },
    f32 = { "float", lib.KEEL_FIELD_F32 }, f64 = { "double", lib.KEEL_FIELD_F64 },
    entity = { "keel_entity", lib.KEEL_FIELD_ENTITY },
}

local entity_methods = {
    __eq = function(a, b) return ffi.istype("keel_entity", a) and ffi.istype("keel_entity", b) and a.bits == b.bits end,
    __tostring = function(e)
        if lib.keel_is_null(e) then return "entity(null)" end
        return ("entity(%dv%d)"):format(lib.keel_entity_index(e), lib.keel_entity_version(e))
    end,
}
ffi.metatype("keel_entity", entity_methods)
keel.null = lib.keel_null()
keel.is_null = function(e) return lib.keel_is_null(e) end

-- ---------------------------------------------------------------- components
-- What Keel and C point to must not be collected: descriptors live as long as the program.
local kept = {}
local by_type = {} -- components by the number of their values' type

local function keep(object)
    kept[#kept + 1] = object
    return object
end

local function text(string)
    return keep(ffi.new("char[?]", #string + 1, string))
end

local Component = {}
Component.__index = Component
Component.__tostring = function(c) return "component " .. c.name end

-- A value: Position(1, 2), Position { x = 1 }.
function Component:__call(...)
    if not self.type then error(self.name .. " is a tag: it has no value", 2) end
    return self.type(...)
end

-- The value that a pointer of C points to; nil for NULL. A tag that is there is true.
function Component:at(pointer)
    if pointer == nil then return nil end
    return self.type and ffi.cast(self.pointer_type, pointer) or true
end

-- A component of these fields, a list of { name, type }; a tag without any. Options: storage, tracking.
function keel.component(name, fields, options)
    options = options or {}
    local self = setmetatable({ name = name }, Component)
    self.pointer = keep(ffi.new("keel_component"))
    self.pointer.name = text(name)
    self.pointer.type = self.pointer.name
    self.pointer.storage = options.storage or lib.KEEL_SPARSE_SET
    self.pointer.tracking = options.tracking or 0
    self.pointer.is_unique = options.is_unique or false
    self.pointer.slot = keep(ffi.new("uint32_t[1]"))
    if fields and #fields > 0 then
        local members = {}
        for i, field in ipairs(fields) do members[i] = types[field[2]][1] .. " " .. field[1] .. ";" end
        self.type = ffi.typeof("struct { " .. table.concat(members, " ") .. " }")
        self.pointer_type = ffi.typeof("$ *", self.type)
        by_type[tonumber(self.type)] = self
        self.pointer.size, self.pointer.align = ffi.sizeof(self.type), ffi.alignof(self.type)
        local described = keep(ffi.new("keel_field[?]", #fields))
        for i, field in ipairs(fields) do
            described[i - 1] = { text(field[1]), types[field[2]][2], ffi.offsetof(self.type, field[1]), 1 }
        end
        self.pointer.fields, self.pointer.field_count = described, #fields
    end
    return self
end

-- A unique: a value without an entity.
function keel.unique(name, fields)
    return keel.component(name, fields, { is_unique = true })
end

local function component_and_value(given)
    if getmetatable(given) == Component then return given, nil end
    local component = type(given) == "cdata" and by_type[tonumber(ffi.typeof(given))]
    if not component then error(tostring(given) .. " is neither a component nor a value of one", 3) end
    return component, given
end

-- ---------------------------------------------------------------- scopes
-- What verbs are called on: a world now, commands later, a context within what its system declared.
local Scope = {}
Scope.__index = Scope

local function raise(scope, result)
    local last = lib.keel_last_error(scope.world.pointer)
    local message = last.result == result and ffi.string(last.message) or ffi.string(lib.keel_result_text(result))
    error(message, 3)
end

local function done(scope, result)
    result = tonumber(result)
    if result < 0 then raise(scope, result) end
    return result == tonumber(lib.KEEL_OK)
end

local function scope_of(pointer, world, methods)
    local scope = setmetatable({ pointer = pointer, scope = ffi.cast("keel_scope *", pointer) }, methods or Scope)
    scope.world = world or scope
    return scope
end

-- An entity with these values, and with zeros for components that are named alone.
function Scope:add_entity(...)
    local given = { ... }
    local listed = ffi.new("keel_value[?]", #given + 1)
    for i, value in ipairs(given) do
        local component, pointer = component_and_value(value)
        listed[i - 1].component, listed[i - 1].value = component.pointer, pointer
    end
    local e = lib.keel_add_entity_values(self.scope, listed)
    if lib.keel_is_null(e) then raise(self, lib.keel_last_error(self.world.pointer).result) end
    return e
end

-- Add a component, or overwrite its value.
function Scope:add(e, value)
    local component, pointer = component_and_value(value)
    return done(self, lib.keel_add_component(self.scope, e, component.pointer, pointer))
end

-- Delete components of an entity, or the entity where none is named.
function Scope:delete(e, ...)
    if select("#", ...) == 0 then return done(self, lib.keel_delete_entity(self.scope, e)) end
    local any = false
    for _, component in ipairs({ ... }) do
        any = done(self, lib.keel_delete_component(self.scope, e, component.pointer)) or any
    end
    return any
end

function Scope:attach(child, parent) return done(self, lib.keel_attach(self.scope, child, parent)) end
function Scope:is_alive(e) return lib.keel_is_alive(self.scope, e) end
function Scope:has(e, component) return lib.keel_has_component(self.scope, e, component.pointer) end
-- The value, to read, and to change in place; nil when there is none.
function Scope:get(e, component) return component:at(lib.keel_get_component(self.scope, e, component.pointer)) end
function Scope:get_mut(e, component) return component:at(lib.keel_get_component_mut(self.scope, e, component.pointer)) end
function Scope:get_unique(unique) return unique:at(lib.keel_get_unique_value(self.scope, unique.pointer)) end
function Scope:get_unique_mut(unique) return unique:at(lib.keel_get_unique_value_mut(self.scope, unique.pointer)) end

-- Set a unique, or replace its value.
function Scope:set_unique(value)
    local unique, pointer = component_and_value(value)
    return done(self, lib.keel_set_unique_value(self.scope, unique.pointer, pointer))
end

-- ---------------------------------------------------------------- systems
local systems = {} -- by the number that is their user pointer
local running      -- the world whose systems run

for name, kind in pairs({
    read = "READ", write = "WRITE", optional_read = "OPTIONAL_READ", optional_write = "OPTIONAL_WRITE", with = "WITH",
    without = "WITHOUT", unique_read = "UNIQUE_READ", unique_write = "UNIQUE_WRITE", may_read = "MAY_READ",
    may_write = "MAY_WRITE",
}) do
    keel[name] = function(component) return { kind = name, number = lib["KEEL_TERM_" .. kind], component = component } end
end
keel.entity = { kind = "entity", number = lib.KEEL_TERM_ENTITY }
keel.commands = { kind = "commands", number = lib.KEEL_TERM_COMMANDS }
keel.context = { kind = "context", number = lib.KEEL_TERM_CONTEXT }

-- Arguments that are the same for all entities: a function of the place in the span.
local fixed = {
    unique_read = function(term, within) return within:get_unique(term.component) end,
    unique_write = function(term, within) return within:get_unique_mut(term.component) end,
    commands = function(_, within) return scope_of(lib.keel_context_commands(within.pointer), within.world) end,
    context = function(_, within) return within end,
}

local function values_of(get)
    return function(term, span)
        local values = term.component:at(get(span, term.component.pointer))
        if not values or not term.component.type then return function() return values end end
        return function(i) return values + i end
    end
end
local by_entity = {
    read = values_of(function(span, c) return lib.keel_span_read_component(span, c) end),
    write = values_of(function(span, c) return lib.keel_span_write_component(span, c) end),
    entity = function(_, span) return function(i) return ffi.new("keel_entity", span.entities[i].bits) end end,
}
by_entity.optional_read, by_entity.optional_write = by_entity.read, by_entity.write

local function arguments(system, within, span)
    local list = {}
    for _, term in ipairs(system.terms) do
        if fixed[term.kind] then
            local value = fixed[term.kind](term, within)
            list[#list + 1] = function() return value end
        elseif span and by_entity[term.kind] then
            list[#list + 1] = by_entity[term.kind](term, span)
        end
    end
    return list
end

local function values_at(list, i)
    local values = {}
    for k = 1, #list do values[k] = list[k](i) end
    return unpack(values, 1, #list)
end

local function each(system, within, span)
    local list = arguments(system, within, span)
    for i = 0, span.count - 1 do system.call(values_at(list, i)) end
end

local function once(system, within)
    local answer = system.call(values_at(arguments(system, within), 0))
    if system.is_condition then lib.keel_answer(within.pointer, answer and true or false) end
end

local info = ffi.new("keel_run_info")

-- An error must not leave a function that C calls: it becomes the system's failure.
local function guarded(body)
    return function(context, span)
        local system = systems[tonumber(ffi.cast("intptr_t", lib.keel_context_info(context, info).user))]
        local ok, message = pcall(body, system, scope_of(context, running), span)
        if not ok then lib.keel_fail_text(context, tostring(message)) end
        return lib.KEEL_OK
    end
end
local each_span = ffi.cast("keel_result (*)(keel_context *, const keel_span *)", guarded(each))
local run_once = ffi.cast("keel_result (*)(keel_context *)", guarded(once))

local function make(kind, name, terms, call)
    local listed = keep(ffi.new("keel_term[?]", #terms + 1))
    for i, term in ipairs(terms) do
        listed[i - 1].kind = term.number
        listed[i - 1].component = term.component and term.component.pointer or nil
    end
    listed[#terms].kind = lib.KEEL_TERM_END
    local system = { call = call, terms = terms, pointer = keep(ffi.new("keel_system")) }
    systems[#systems + 1] = system
    system.is_condition = kind == lib.KEEL_SYSTEM_IS_CONDITION
    system.pointer.name, system.pointer.kind, system.pointer.terms = text(name), kind, listed
    system.pointer.user = ffi.cast("void *", #systems)
    if kind == lib.KEEL_SYSTEM_PER_SPAN then system.pointer.each_span = each_span
    else system.pointer["function"] = run_once end
    return system
end

-- A system that is called for each entity, one that is called once per run, and a condition, which returns
-- its answer. The parameters of the function are those terms that have a value.
function keel.system(name, terms, call) return make(lib.KEEL_SYSTEM_PER_SPAN, name, terms, call) end
function keel.system_once(name, terms, call) return make(lib.KEEL_SYSTEM_PER_RUN, name, terms, call) end
function keel.condition(name, terms, call) return make(lib.KEEL_SYSTEM_IS_CONDITION, name, terms, call) end

-- ---------------------------------------------------------------- worlds
local World = setmetatable({}, { __index = Scope })
World.__index = World

-- A world; end it with world:close().
function keel.world(name)
    local desc = ffi.new("keel_world_desc")
    local label = text(name or "world")
    desc.name, desc.worker_count = label, 1
    desc.log, desc.on_misuse = lib.keel_log_none, lib.KEEL_MISUSE_RETURN -- errors are Lua errors
    local pointer = lib.keel_world_create(desc)
    if pointer == nil then error("out of memory", 2) end
    return scope_of(pointer, nil, World)
end

function World:close()
    lib.keel_world_destroy(self.pointer)
    self.pointer, self.scope = nil, nil
end

function World:commands() return scope_of(lib.keel_world_commands(self.pointer), self) end
function World:apply_commands() return done(self, lib.keel_apply_commands(self.pointer)) end

-- Calls that call Lua back must not be compiled.
local function calling(call)
    jit.off(call)
    return function(world, ...)
        local outer = running
        running = world
        local result = call(world, ...)
        running = outer
        return done(world, result)
    end
end

-- Run one system now; run a stored workload, the default one where none is named. `dt`: the seconds that pass.
World.run = calling(function(world, system) return lib.keel_run_system(world.pointer, system.pointer, nil) end)
World.run_workload = calling(function(world, name, dt)
    local desc = ffi.new("keel_run_desc")
    desc.dt = dt or 0
    return lib.keel_run_stored(world.pointer, name or core.KEEL_DEFAULT_WORKLOAD, desc)
end)

-- Append a step to a stored workload, which is made when there is none of this name. Options: run_if, after, before.
function World:add_step(workload, system, options)
    options = options or {}
    local step = ffi.new("keel_step")
    step.system, step.run_if = system.pointer, options.run_if and options.run_if.pointer or nil
    step.after, step.before = options.after, options.before
    return done(self, lib.keel_world_add_step(self.pointer, workload, step))
end

return keel
