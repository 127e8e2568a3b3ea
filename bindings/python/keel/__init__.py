# SPDX-License-Identifier: MIT
"""Keel for Python: worlds, components made at run time, systems that are Python functions.

    import keel
    Position = keel.Component("Position", x="f32", y="f32")
    Velocity = keel.Component("Velocity", x="f32", y="f32")

    @keel.system(keel.write(Position), keel.read(Velocity))
    def move(p, v):
        p.x += v.x

    world = keel.World()
    ship = world.add_entity(Position(1, 2), Velocity(x=3))
    world.run(move)

It needs cffi and the shared library: the file that LIBKEEL names, else libkeel.so. What this
layer does not wrap is there as `keel.lib` and `keel.ffi`, with the names of keel/core.h.
Values are pointers into the world: valid until the next edit of their component.
"""
import os

import cffi

from . import core

ffi = cffi.FFI()
ffi.cdef(core.DECLARATIONS)
lib = ffi.dlopen(os.environ.get("LIBKEEL", "libkeel.so"))

TYPES = {"bool": ("bool", lib.KEEL_FIELD_BOOL), "i8": ("int8_t", lib.KEEL_FIELD_I8),
         "u8": ("uint8_t", lib.KEEL_FIELD_U8), "i16": ("int16_t", lib.KEEL_FIELD_I16),
         "u16": ("uint16_t", lib.KEEL_FIELD_U16), "i32": ("int32_t", lib.KEEL_FIELD_I32),
         "u32": ("uint32_t", lib.KEEL_FIELD_U32), "i64": ("int64_t", lib.KEEL_FIELD_I64),
         "u64": ("uint64_t", lib.KEEL_FIELD_U64), "f32": ("float", lib.KEEL_FIELD_F32),
         "f64": ("double", lib.KEEL_FIELD_F64), "entity": ("keel_entity", lib.KEEL_FIELD_ENTITY)}


class Error(Exception):
    """A call failed, and nothing was changed. `result` is one of KEEL_ERROR_*."""

    def __init__(self, result, message=""):
        text = ffi.string(lib.keel_result_text(result)).decode()
        super().__init__(message or text)
        self.result = result


class Entity:
    """A handle. False when it is null."""
    __slots__ = ("bits",)

    def __init__(self, bits=0):
        self.bits = bits

    def __eq__(self, other):
        return isinstance(other, Entity) and self.bits == other.bits

    def __hash__(self):
        return hash(self.bits)

    def __bool__(self):
        return self.bits != 0

    def __repr__(self):
        if not self:
            return "Entity(null)"
        handle = (self.bits,)
        return f"Entity({lib.keel_entity_index(handle)}v{lib.keel_entity_version(handle)})"


# ---------------------------------------------------------------- components
class Component:
    """A component, or a unique, of these fields. Without any it is a tag. Any number of worlds may use it.
    Called, it makes a value: Position(1, 2), Position(x=1)."""
    by_type = {}  # of its values

    def __init__(self, name, *, storage=lib.KEEL_SPARSE_SET, is_unique=False, tracking=0, **fields):
        self.name = name
        self.type = None
        members = []
        if fields:
            tag = f"keel_value_{len(Component.by_type)}_{'unique' if is_unique else 'component'}"
            ffi.cdef(f"struct {tag} {{ " + " ".join(f"{TYPES[t][0]} {n};" for n, t in fields.items()) + " };")
            self.type = ffi.typeof(f"struct {tag} *")
            Component.by_type[self.type] = self
            members = [(n, TYPES[t][1], ffi.offsetof(self.type.item, n)) for n, t in fields.items()]
        self._kept = [ffi.new("char[]", name.encode()), ffi.new("uint32_t *")]
        names = [ffi.new("char[]", n.encode()) for n, _, _ in members]
        described = ffi.new("keel_field[]", [(text, kind, offset, 1) for text, (_, kind, offset) in zip(names, members)])
        self._kept += [names, described]
        self.pointer = ffi.new("keel_component *", {
            "name": self._kept[0], "type": self._kept[0], "storage": storage, "tracking": tracking,
            "size": ffi.sizeof(self.type.item) if fields else 0, "align": ffi.alignof(self.type.item) if fields else 0,
            "fields": described if fields else ffi.NULL, "field_count": len(members), "is_unique": is_unique,
            "slot": self._kept[1]})

    def __call__(self, *values, **named):
        if not self.type:
            raise TypeError(f"{self.name} is a tag: it has no value")
        value = ffi.new(self.type, [_plain(v) for v in values])
        for name, member in named.items():
            setattr(value, name, _plain(member))
        return value

    def at(self, pointer):
        """The value that a pointer of C points to; None for NULL. A tag that is there is True."""
        if pointer == ffi.NULL:
            return None
        return ffi.cast(self.type, pointer) if self.type else True

    def __repr__(self):
        return f"Component({self.name!r})"


def Unique(name, **fields):  # pylint: disable=invalid-name
    """A unique: a value without an entity."""
    return Component(name, is_unique=True, **fields)


def _plain(value):
    return (value.bits,) if isinstance(value, Entity) else value


def _component_and_value(given):
    if isinstance(given, Component):
        return given, ffi.NULL
    kind = Component.by_type.get(ffi.typeof(given))
    if not kind:
        raise TypeError(f"{given!r} is neither a component nor a value of one")
    return kind, given


# ---------------------------------------------------------------- scopes
class Scope:
    """What verbs are called on: a world now, commands later, a context within what its system declared.
    Each raises Error; what was not there to begin with is False."""
    world = None

    def __init__(self, pointer):
        self.pointer = pointer
        self.scope = ffi.cast("keel_scope *", pointer)

    def _raise(self, result):
        error = lib.keel_last_error(self.world.pointer)
        raise Error(result, ffi.string(error.message).decode() if error.result == result else "")

    def _done(self, result):
        if result < 0:
            self._raise(result)
        return result == lib.KEEL_OK

    def add_entity(self, *values):
        """An entity with these values, and with zeros for components that are named alone."""
        pairs = [_component_and_value(v) for v in values]
        listed = ffi.new("keel_value[]", [(c.pointer, v) for c, v in pairs] + [(ffi.NULL, ffi.NULL)])
        entity = Entity(lib.keel_add_entity_values(self.scope, listed).bits)
        if not entity:
            self._raise(lib.keel_last_error(self.world.pointer).result)
        return entity

    def add(self, entity, value):
        """Add a component, or overwrite its value."""
        component, pointer = _component_and_value(value)
        return self._done(lib.keel_add_component(self.scope, (entity.bits,), component.pointer, pointer))

    def delete(self, entity, *components):
        """Delete components of an entity, or the entity where none is named."""
        if not components:
            return self._done(lib.keel_delete_entity(self.scope, (entity.bits,)))
        return any([self._done(lib.keel_delete_component(self.scope, (entity.bits,), c.pointer)) for c in components])

    def attach(self, child, parent):
        """Make `child` the last child of `parent`."""
        return self._done(lib.keel_attach(self.scope, (child.bits,), (parent.bits,)))

    def is_alive(self, entity):
        """Does the handle mean an entity?"""
        return lib.keel_is_alive(self.scope, (entity.bits,))

    def has(self, entity, component):
        """Does the entity have the component?"""
        return lib.keel_has_component(self.scope, (entity.bits,), component.pointer)

    def get(self, entity, component):
        """The value, to read; None when there is none."""
        return component.at(lib.keel_get_component(self.scope, (entity.bits,), component.pointer))

    def get_mut(self, entity, component):
        """The value, to change in place; None when there is none."""
        return component.at(lib.keel_get_component_mut(self.scope, (entity.bits,), component.pointer))

    def set_unique(self, value):
        """Set a unique, or replace its value."""
        unique, pointer = _component_and_value(value)
        return self._done(lib.keel_set_unique_value(self.scope, unique.pointer, pointer))

    def get_unique(self, unique):
        """The value of a unique, to read; None before it is set."""
        return unique.at(lib.keel_get_unique_value(self.scope, unique.pointer))

    def get_unique_mut(self, unique):
        """The value of a unique, to change in place; None before it is set."""
        return unique.at(lib.keel_get_unique_value_mut(self.scope, unique.pointer))


class Context(Scope):
    """What a running system has in hand."""

    def __init__(self, pointer, world):
        super().__init__(pointer)
        self.world = world

    @property
    def commands(self):
        """The commands of a system that declared them (keel.commands)."""
        pointer = lib.keel_context_commands(self.pointer)
        return Commands(pointer, self.world) if pointer != ffi.NULL else None


class Commands(Context):
    """Edits that are recorded now and applied later."""


class World(Scope):
    """A world. End it with close(), or use it in a with statement."""

    def __init__(self, name="world", worker_count=0):
        text = ffi.new("char[]", name.encode())
        # errors become exceptions, so they are neither logged nor assertions
        desc = {"name": text, "worker_count": worker_count, "log": lib.keel_log_none,
                "on_misuse": lib.KEEL_MISUSE_RETURN}
        super().__init__(lib.keel_world_create(ffi.new("keel_world_desc *", desc)))
        if self.pointer == ffi.NULL:
            raise Error(lib.KEEL_ERROR_MEMORY)
        self.world = self
        self._systems = set()  # what Keel points to, and who raised an exception

    def close(self):
        """Drop every value and free the world."""
        lib.keel_world_destroy(self.pointer)
        self.pointer = ffi.NULL
        self.scope = ffi.NULL

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def commands(self):
        """The world's own list of commands."""
        return Commands(lib.keel_world_commands(self.pointer), self)

    def apply_commands(self):
        """Apply what was recorded."""
        return self._done(lib.keel_apply_commands(self.pointer))

    def run(self, system):
        """Run one system now."""
        with _Run(self, [system]):
            return self._done(lib.keel_run_system(self.pointer, system.pointer, ffi.NULL))

    def add_step(self, workload, system, *, run_if=None, after=None, before=None):
        """Append a step to a stored workload, which is made when there is none of this name."""
        texts = [ffi.new("char[]", text.encode()) if text else ffi.NULL for text in (after, before)]
        step = ffi.new("keel_step *", {"system": system.pointer, "after": texts[0], "before": texts[1],
                                       "run_if": run_if.pointer if run_if else ffi.NULL})
        self._systems |= {system} | ({run_if} if run_if else set())
        return self._done(lib.keel_world_add_step(self.pointer, workload.encode(), step))

    def run_workload(self, name=core.KEEL_DEFAULT_WORKLOAD, dt=0):
        """Run a stored workload, the default one where none is named. `dt`: the seconds that pass."""
        with _Run(self, self._systems):
            desc = ffi.new("keel_run_desc *", {"dt": dt})
            return self._done(lib.keel_run_stored(self.pointer, name.encode(), desc))


class _Run:
    """While systems run they know their world. An exception of one of them is raised in place of the error."""

    def __init__(self, world, systems):
        self.systems = list(systems)
        for system in self.systems:
            system.world, system.exception = world, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for system in self.systems:
            if system.exception and isinstance(error, Error):
                raise system.exception from error
        return False


# ---------------------------------------------------------------- systems
class Term:
    """A parameter of a system."""

    def __init__(self, kind, component=None):
        self.kind = kind
        self.component = component


def _term(kind):
    return lambda component: Term(kind, component)


read = _term(lib.KEEL_TERM_READ)
write = _term(lib.KEEL_TERM_WRITE)
optional_read = _term(lib.KEEL_TERM_OPTIONAL_READ)
optional_write = _term(lib.KEEL_TERM_OPTIONAL_WRITE)
with_ = _term(lib.KEEL_TERM_WITH)
without = _term(lib.KEEL_TERM_WITHOUT)
unique_read = _term(lib.KEEL_TERM_UNIQUE_READ)
unique_write = _term(lib.KEEL_TERM_UNIQUE_WRITE)
may_read = _term(lib.KEEL_TERM_MAY_READ)
may_write = _term(lib.KEEL_TERM_MAY_WRITE)
entity = Term(lib.KEEL_TERM_ENTITY)
commands = Term(lib.KEEL_TERM_COMMANDS)
context = Term(lib.KEEL_TERM_CONTEXT)

READS = (lib.KEEL_TERM_READ, lib.KEEL_TERM_OPTIONAL_READ)
WRITES = (lib.KEEL_TERM_WRITE, lib.KEEL_TERM_OPTIONAL_WRITE)


class System:
    """A function and what it may touch. Its parameters are those terms that have a value."""

    def __init__(self, kind, terms, function):
        self.function = function
        self.terms = terms
        self.world = self.exception = None
        self._handle = ffi.new_handle(self)
        self._name = ffi.new("char[]", function.__name__.encode())
        self._terms = ffi.new("keel_term[]", [{"kind": t.kind, "component": t.component.pointer if t.component
                                               else ffi.NULL} for t in terms] + [{"kind": lib.KEEL_TERM_END}])
        by_span = kind == lib.KEEL_SYSTEM_PER_SPAN
        self.pointer = ffi.new("keel_system *", {
            "name": self._name, "kind": kind, "terms": self._terms, "user": self._handle,
            "each_span": _each_span if by_span else ffi.NULL, "function": ffi.NULL if by_span else _once})

    def __call__(self, *arguments):
        return self.function(*arguments)

    def guarded(self, call, pointer):
        """An exception must not leave a function that C calls: it becomes the system's failure."""
        try:
            call(Context(pointer, self.world))
        except Exception as error:  # pylint: disable=broad-except
            self.exception = error
            lib.keel_fail_text(pointer, ffi.new("char[]", f"{type(error).__name__}: {error}".encode()))
        return lib.KEEL_OK

    def fixed(self, term, within):
        """A function of the place in the span: here of arguments that are the same for all."""
        if term.kind in (lib.KEEL_TERM_UNIQUE_READ, lib.KEEL_TERM_UNIQUE_WRITE):
            value = (within.get_unique_mut if term.kind == lib.KEEL_TERM_UNIQUE_WRITE else within.get_unique)(term.component)
            return lambda i: value
        if term.kind in (lib.KEEL_TERM_COMMANDS, lib.KEEL_TERM_CONTEXT):
            value = within.commands if term.kind == lib.KEEL_TERM_COMMANDS else within
            return lambda i: value
        return None

    def argument(self, term, within, span):
        """A function of the place in the span, or None for terms without a value."""
        if term.kind in READS + WRITES:
            get = lib.keel_span_write_component if term.kind in WRITES else lib.keel_span_read_component
            values = term.component.at(get(span, term.component.pointer))
            return (lambda i: values + i) if term.component.type and values is not None else (lambda i: values)
        if term.kind == lib.KEEL_TERM_ENTITY:
            return lambda i: Entity(span.entities[i].bits)
        return self.fixed(term, within)

    def each(self, within, span):
        """Call it for the entities of a span."""
        arguments = [a for a in (self.argument(t, within, span) for t in self.terms) if a]
        for i in range(span.count):
            self.function(*[a(i) for a in arguments])

    def once(self, within):
        """Call it once."""
        arguments = [a for a in (self.fixed(t, within) for t in self.terms) if a]
        answer = self.function(*[a(0) for a in arguments])
        if self.pointer.kind == lib.KEEL_SYSTEM_IS_CONDITION:
            lib.keel_answer(within.pointer, bool(answer))


@ffi.callback("keel_result(keel_context *, const keel_span *)", error=lib.KEEL_ERROR_SYSTEM)
def _each_span(pointer, span):
    self = ffi.from_handle(lib.keel_context_info(pointer, ffi.new("keel_run_info *")).user)
    return self.guarded(lambda within: self.each(within, span), pointer)


@ffi.callback("keel_result(keel_context *)", error=lib.KEEL_ERROR_SYSTEM)
def _once(pointer):
    self = ffi.from_handle(lib.keel_context_info(pointer, ffi.new("keel_run_info *")).user)
    return self.guarded(self.once, pointer)


def system(*terms):
    """A decorator: the function becomes a system that is called for each entity."""
    return lambda function: System(lib.KEEL_SYSTEM_PER_SPAN, terms, function)


def system_once(*terms):
    """A decorator: the function becomes a system that is called once per run."""
    return lambda function: System(lib.KEEL_SYSTEM_PER_RUN, terms, function)


def condition(*terms):
    """A decorator: the function becomes a condition, for run_if; it returns the answer."""
    return lambda function: System(lib.KEEL_SYSTEM_IS_CONDITION, terms, function)
