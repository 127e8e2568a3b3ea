# SPDX-License-Identifier: MIT
"""Pretty-printers and commands of gdb for Keel: entities, worlds, chunks and errors.

    (gdb) source tools/keel_gdb.py
    (gdb) print entity             3 version 1 "ship", alive in 'game'
    (gdb) print *world             name, entities, components, running systems, first error
    (gdb) keel entity WORLD E      the components of an entity; E is a handle or an index
    (gdb) keel components WORLD    the components of a world, and the number of entities of each

It reads memory and calls no function of the program. So it works in core dumps, in the middle of an
edit and while other threads run, and does not change the program. The library needs debug information
(a Debug build)."""
import gdb

# The private members of the library that this file knows: all others are public. The pages and bits
# behind `root` are also read by the inline functions of keel/view.h.
INSIDE = {
    "name": "name",
    "first error": "reports.first",
    "handles": "entities.root",  # keeli_entity_root
    "indices": "entities.size",  # all indices; subtract DEAD to get the living ones
    "gaps": "entities.gap_count",
    "free": "entities.free_count",
    "reserved": "entities.held",
    "retired": "entities.retired",
    "storages": "storages",  # an array of pointers
    "names": "names.storage",  # the storage of keel_name, or NULL
    "own worker": "workers.own",
    "workers": "workers.working",  # a list, linked by:
    "next worker": "next",
    "running system": "running",
    "component": "component",  # a storage's keel_component
    "place": "root",  # keeli_set_root
    "disabled": "disabled.root",  # keeli_bits_root
}
DEAD = ("gaps", "free", "reserved", "retired")
PAGE = 4096  # handles, bits and cells in a page
NOWHERE = 0xFFFFFFFF
SHOWN = 16  # entities of a chunk that are printed


class Unknown(Exception):
    """A member or type that this file expects does not exist."""


def inside(value, what):
    """A private member, by its name in INSIDE."""
    if value.type.code == gdb.TYPE_CODE_PTR:
        value = value.dereference()
    for member in INSIDE[what].split("."):
        if not value.type.strip_typedefs().fields():
            raise Unknown(f"no debug information about {value.type}: use a Debug build of Keel")
        try:
            value = value[member]
        except gdb.error as error:
            raise Unknown(f"{value.type} has no '{member}': update INSIDE in keel_gdb.py") from error
    return value


def text(pointer):
    return pointer.string(errors="replace") if int(pointer) else ""


# ---------------------------------------------------------------------------- entities
def split(entity):
    """The index of a handle and its upper part, which is version + 1, or 0 for null."""
    bits = int(entity["bits"])
    width = 32 if entity["bits"].type.sizeof == 8 else 20
    return bits & ((1 << width) - 1), bits >> width


def upper_at(world, index):
    """The upper part of the living handle of an index, or NOWHERE if it is not alive."""
    root = inside(world, "handles")
    if index // PAGE >= int(root["page_count"]):
        return NOWHERE
    upper = int(root["versions"][index // PAGE][index % PAGE])
    return NOWHERE if upper >> 31 else upper


def is_world(value):
    kind = value.type.strip_typedefs()
    return kind.code == gdb.TYPE_CODE_PTR and str(kind.target().unqualified()) in (
        "keel_world", "struct keel_world")


def world_in_sight():
    """The world in a variable of the selected frame or one of its callers, or None."""
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        return None
    for _ in range(64):
        if frame is None:
            return None
        try:
            block = frame.block()
        except RuntimeError:  # no symbols
            block = None
        while block is not None and not block.is_global and not block.is_static:
            for symbol in block:
                try:
                    value = symbol.value(frame) if symbol.is_variable or symbol.is_argument else None
                    if value is not None and is_world(value) and int(value):
                        inside(value, "name").string()  # fails for an uninitialised variable
                        return value
                except (gdb.error, Unknown, RuntimeError, UnicodeDecodeError):
                    continue
            block = block.superblock
        frame = frame.older()
    return None


def name_of(world, index):
    """The name in quotes after a space, as in ' "ship"'; empty for an entity without a name."""
    storage = inside(world, "names")
    if not int(storage) or not has_bit(inside(storage, "place")["bits"], index):
        return ""
    root = inside(storage, "place").dereference()
    place = int(root["sparse"][index // PAGE][index % PAGE])
    address = int(root["pages"][place >> int(root["shift"])]) + (place & int(root["mask"])) * int(component_of(storage)["size"])
    value = gdb.Value(address).cast(gdb.lookup_type("keel_name").pointer())
    return f' "{text(value["text"])}"'


def describe(entity, world):
    index, upper = split(entity)
    if not upper:
        return "null"
    number = f"{index} version {upper - 1}"
    if world is None:
        return number
    is_alive = upper_at(world, index) == upper
    name = name_of(world, index) if is_alive else ""
    return f"{number}{name}, {'alive' if is_alive else 'dead'} in '{text(inside(world, 'name'))}'"


class EntityPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            return describe(self.value, world_in_sight())
        except (gdb.MemoryError, Unknown):
            return describe(self.value, None)


# ---------------------------------------------------------------------------- worlds
def storages(world):
    array = inside(world, "storages")
    return [array["items"][i] for i in range(int(array["count"]))]


def component_of(storage):
    return inside(storage, "component")


def components(world):
    """The components that programs can name: without those that hold the targets of relations."""
    return [s for s in storages(world) if not component_of(s)["is_unique"] and
            not text(component_of(s)["name"]).endswith(" (targets)")]


def running_systems(world):
    """The names of the running systems, at most one for each thread."""
    worker, names = inside(world, "own worker"), []
    others = inside(world, "workers")
    while True:
        name = text(inside(worker, "running system"))
        if name and name not in names:
            names.append(name)
        if not int(others):
            return names
        worker, others = others, inside(others, "next worker")


def error_text(error):
    if int(error["result"]) == 0:
        return "no error"
    where, message = error["system"].string(), error["message"].string()
    place = f" in '{where}'" if where and f"'{where}'" not in message else ""
    return f"{error['result']}{place}: {message}"


class WorldPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            return f"world '{text(inside(self.value, 'name'))}'"
        except Unknown as why:
            return str(why)

    def children(self):
        try:
            dead = sum(int(inside(self.value, what)) for what in DEAD)
            yield "entities", int(inside(self.value, "indices")) - dead
            yield "components", len(components(self.value))
            yield "running", ", ".join(running_systems(self.value)) or "nothing"
            yield "first error", error_text(inside(self.value, "first error"))
        except Unknown:
            return


class WorldPointerPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        address = f"{int(self.value):#x}"
        try:
            return f"{address} '{text(inside(self.value, 'name'))}'"
        except (gdb.MemoryError, Unknown, UnicodeDecodeError):
            return address


class ErrorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return error_text(self.value)


# ---------------------------------------------------------------------------- chunks
class ChunkPrinter:
    FORMS = {"KEEL_CHUNK_SPAN": "span", "KEEL_CHUNK_MASK": "mask", "KEEL_CHUNK_LIST": "list"}

    def __init__(self, value):
        self.value = value
        self.form = self.FORMS.get(str(value["form"]), "unknown form")

    def items(self):
        """The places of entities in the chunk. In a mask, the places whose bits are set."""
        count = int(self.value["count"])
        if self.form != "mask":
            return list(range(count))
        words = self.value["words"]
        return [i for i in range(count) if int(words[i // 64]) >> (i % 64) & 1]

    def to_string(self):
        slots = f" in {int(self.value['count'])} slots" if self.form == "mask" else ""
        return f"{self.form}, entities: {len(self.items())}{slots}"

    def children(self):
        entities = self.value["entities"]
        if int(entities):
            for i in self.items()[:SHOWN]:
                yield f"[{i}]", entities[i]
        columns = self.value["columns"]
        for term in range(columns.type.range()[1] + 1):
            column = columns[term]
            if int(column["base"]) or int(column["pages"]):
                yield f"column {term}", column["base"] if int(column["base"]) else column["pages"]


# ---------------------------------------------------------------------------- commands
def has_bit(bits, index):
    if index // PAGE >= int(bits["page_count"]):
        return False
    return int(bits["pages"][index // PAGE][index % PAGE // 64]) >> (index % 64) & 1 != 0


def value_at(storage, index):
    """The value of an entity index as text, by its C type if gdb knows it. The entity must have a value."""
    root, component = inside(storage, "place").dereference(), component_of(storage)
    kind, page, at = str(root["kind"]), index // PAGE, index % PAGE
    place = {"KEEL_INDEXED": lambda: index,
             "KEEL_SPARSE_SET": lambda: int(root["sparse"][page][at]),
             "KEEL_ARCHETYPE": lambda: int(root["entities"]["where"][page][at])}[kind]()
    size, shift = int(component["size"]), int(root["shift"])
    if not size:
        return "(a tag)"
    address = int(root["pages"][place >> shift]) + (place & int(root["mask"])) * size
    try:
        value = gdb.Value(address).cast(gdb.lookup_type(text(component["type"])).pointer()).dereference()
        if value.type.sizeof == size:
            return value.format_string(max_depth=3)
    except gdb.error:
        pass
    return f"{size} bytes at {address:#x}"


def evaluate_world(expression):
    world = gdb.parse_and_eval(expression)
    if not is_world(world) or not int(world):
        raise gdb.GdbError(f"'{expression}' is no pointer to a keel_world")
    return world


class KeelCommand(gdb.Command):
    """Prints parts of Keel's worlds: keel entity WORLD E, keel components WORLD."""

    def __init__(self):
        super().__init__("keel", gdb.COMMAND_DATA, prefix=True)


class KeelEntity(gdb.Command):
    """keel entity WORLD E: the components of an entity. E is a keel_entity or the index of a living one."""

    def __init__(self):
        super().__init__("keel entity", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        arguments = gdb.string_to_argv(argument)
        if len(arguments) != 2:
            raise gdb.GdbError("usage: keel entity WORLD E")
        world, entity = evaluate_world(arguments[0]), gdb.parse_and_eval(arguments[1])
        try:
            self.show(world, entity)
        except Unknown as why:
            raise gdb.GdbError(str(why)) from why

    @staticmethod
    def show(world, entity):
        if entity.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            index, upper = split(entity)
            print(describe(entity, world))
            if not upper or upper_at(world, index) != upper:
                return
        else:
            index, upper = int(entity), upper_at(world, int(entity))
            print(f"{index}: not alive" if upper == NOWHERE else f"{index} version {upper - 1}")
            if upper == NOWHERE:
                return
        for storage in components(world):
            name = text(component_of(storage)["name"])
            if has_bit(inside(storage, "place")["bits"], index):
                print(f"  {name} = {value_at(storage, index)}")
            elif has_bit(inside(storage, "disabled"), index):
                print(f"  {name} (disabled) = {value_at(storage, index)}")


class KeelComponents(gdb.Command):
    """keel components WORLD: each component, its storage, and the number of entities with it."""

    def __init__(self):
        super().__init__("keel components", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        world = evaluate_world(argument or "world")
        try:
            for storage in components(world):
                bits = inside(storage, "place")["bits"].dereference()
                count = sum(bin(int(bits["pages"][p][w])).count("1")
                            for p in range(int(bits["page_count"])) for w in range(PAGE // 64))
                component = component_of(storage)
                print(f"{text(component['name'])}: {component['storage']}, "
                      f"{int(component['size'])} bytes, entities: {count}")
        except Unknown as why:
            raise gdb.GdbError(str(why)) from why


PRINTERS = {"keel_entity": EntityPrinter, "keel_world": WorldPrinter, "keel_chunk": ChunkPrinter,
            "keel_error": ErrorPrinter}


def keel_printer(value):
    if is_world(value) and int(value):
        return WorldPointerPrinter(value)
    kind = value.type.strip_typedefs().unqualified()
    make = PRINTERS.get(kind.tag or kind.name)
    return make(value) if make and kind.code == gdb.TYPE_CODE_STRUCT and kind.fields() else None


keel_printer.enabled = True
keel_printer.name = "keel"
gdb.pretty_printers[:] = [p for p in gdb.pretty_printers if getattr(p, "name", "") != "keel"]
gdb.pretty_printers.append(keel_printer)
KeelCommand()
KeelEntity()
KeelComponents()
