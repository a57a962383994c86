#!/usr/bin/env python3
"""Counts the instructions of compiled GPU kernels into a C table: sass_count.py [FILE...] >sass.c

Reads what `cuobjdump -sass` prints, of one architecture. A kernel is cut into parts: part 0 is what a thread runs once, each further
part an outermost loop. For every number of values that ways through a part store, the shortest way is a row, and the longest another
where it differs: which of them threads usually take is told by what they store and compute (src/pipeline/sass.c). Where stores are guarded by
different predicates, there is a row for every number of fp instead; one guard of all is that of threads at an edge. A loop that the compiler unrolled and its remainder are one part; `unrolled` says how
many turns it takes at once. What one warp of a block does for all, behind an ELECT that the others pass by, is in no way: it is counted for itself.

    SASS(kernel, part, unrolled, kind, stores, fp, memory, words, other, aside)

kind: SHORTEST or LONGEST of what stores so much, or GUARDED, the shortest of so much fp; stores: 32-bit words to global memory; fp: FADD
FMUL FFMA and their like of 64 bits; memory: loads and stores of global and shared memory, which move `words` 32-bit words in all;
other: the rest; aside: what one warp does for all, in every row of the part.
SPDX-License-Identifier: MIT"""

import re
import sys

FP = {"FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA"}
MEMORY = {"LD", "LDG", "LDS", "LDL", "LDSM", "LDGSTS", "ST", "STG", "STS", "STL", "ATOM", "ATOMG", "ATOMS", "RED"}
STORES = {"ST", "STG"}
ENDS = {"RET", "BRX", "JMX"}
MOST_ROWS = 64
LINE = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(?:@(!?U?P[0-9T]+)\s+)?([A-Z][A-Z0-9_]*)((?:\.[A-Za-z0-9_]+)*)\s*(.*?)\s*;")


class Instruction:
    def __init__(self, match):
        self.at = int(match.group(1), 16)
        self.guard = match.group(2) if match.group(2) not in ("PT", "UPT") else None
        self.guarded = self.guard is not None
        self.op = match.group(3)
        self.operands = match.group(5)
        width = re.search(r"\.(64|128)\b", match.group(4))
        words = int(width.group(1)) // 32 if width else 1
        is_memory = self.op in MEMORY
        # total, fp, memory, words
        self.cost = (1, int(self.op in FP), int(is_memory), words if is_memory else 0)
        self.stores = words if self.op in STORES else 0

    def target(self):
        """Where a branch goes, and whether it may go on instead."""
        found = re.search(r"^(.*?)`?\(?(0x[0-9a-f]+)\)?$", self.operands)
        return (int(found.group(2), 16), self.guarded or bool(found.group(1).strip(" ,"))) if found else (None, True)


def kernels_read(lines):
    kernels, name = {}, None
    for line in lines:
        head = re.search(r"Function : (\S+)", line)
        if head:
            name = head.group(1)
            kernels[name] = []
            continue
        found = LINE.match(line)
        if found and name is not None:
            kernels[name].append(Instruction(found))
    return kernels


class Block:
    def __init__(self, first):
        self.first, self.next, self.guards = first, [], set()
        self.cost, self.stores, self.ends = (0, 0, 0, 0), 0, False
        self.elects, self.aside = False, 0


def blocks_make(code):
    """Basic blocks by the address they begin at."""
    heads, following = {code[0].at}, {}
    for a, b in zip(code, code[1:]):
        following[a.at] = b.at
    for i in code:
        if i.op == "BRA":
            heads.add(i.target()[0])
        if i.op in ENDS or i.op in ("BRA", "EXIT"):
            heads.add(following.get(i.at))
    heads.discard(None)
    blocks, block = {}, None
    for i in code:
        if i.at in heads:
            if block is not None and not block.closed:
                block.next.append(i.at)
            block = blocks[i.at] = Block(i.at)
            block.closed = False
        block.cost = tuple(x + y for x, y in zip(block.cost, i.cost))
        block.stores += i.stores
        block.elects |= i.op == "ELECT"
        if i.stores:
            block.guards.add(i.guard)
        if i.op == "BRA":
            target, may_go_on = i.target()
            block.next += [t for t in (target, following.get(i.at) if may_go_on else None) if t is not None]
            block.closed = True
        elif i.op == "EXIT":
            block.ends = True
            block.next += [following[i.at]] if i.guarded and i.at in following else []
            block.closed = True
        elif i.op in ENDS:
            block.closed = block.ends = True
    for b in blocks.values():
        b.next = [t for t in dict.fromkeys(b.next) if t in blocks]
    return blocks


def order_of(blocks, entry):
    """Blocks that can be reached, each before what follows it, loops aside."""
    seen, order, stack = {entry}, [], [(entry, iter(blocks[entry].next))]
    while stack:
        at, rest = stack[-1]
        for t in rest:
            if t not in seen:
                seen.add(t)
                stack.append((t, iter(blocks[t].next)))
                break
        else:
            order.append(at)
            stack.pop()
    return order[::-1]


def dominators(blocks, order):
    place = {b: n for n, b in enumerate(order)}
    before = {b: [] for b in order}
    for b in order:
        for t in blocks[b].next:
            before[t].append(b)
    over = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for b in order[1:]:
            new = None
            for p in before[b]:
                if p not in over:
                    continue
                x, y = p, new
                while y is not None and x != y:
                    while place[x] > place[y]:
                        x = over[x]
                    while place[y] > place[x]:
                        y = over[y]
                new = x
            if over.get(b) != new:
                over[b], changed = new, True
    return over, before


def is_over(over, a, b):
    while b != a and over[b] != b:
        b = over[b]
    return a == b


def asides_take(blocks, order):
    """What lies behind an ELECT, by whose block other warps go straight to where it ends, costs no way anything. Loops in it count once."""
    over, before = dominators(blocks, order)
    for lead in (b for b in order if blocks[b].elects):
        behind = {b for b in order if is_over(over, lead, b)}
        ends = {t for b in behind for t in blocks[b].next} - behind
        passed = any({lead} | ends == set(blocks[p].next) for p in before[lead])
        if passed and len(ends) == 1 and not behind & set(before[lead]) and not any(blocks[b].stores or blocks[b].ends for b in behind):
            for b in behind:
                blocks[b].aside += blocks[b].cost[0]
                blocks[b].cost = (0, 0, 0, 0)


def loops_find(blocks, order):
    """Bodies of the loops by their first block."""
    over, before = dominators(blocks, order)
    loops = {}
    for b in order:
        for head in blocks[b].next:
            if not is_over(over, head, b):
                continue
            body, todo = loops.setdefault(head, {head}), [b]
            while todo:
                x = todo.pop()
                if x not in body:
                    body.add(x)
                    todo += before[x]
    return loops


class Ways:
    """Ways through a part, as short (sign 1) or as long (-1) as they are: by the loops they meet and what they store, or their fp."""

    def __init__(self, blocks, order, loops, sign, by_fp):
        self.blocks, self.order, self.loops, self.sign, self.by_fp = blocks, order, loops, sign, by_fp

    def merge(self, into, key, cost):
        if key not in into or self.sign * cost[0] < self.sign * into[key][0]:
            into[key] = cost

    def of_block(self, at):
        block = self.blocks[at]
        return {(0, block.cost[1] if self.by_fp else block.stores): block.cost}

    def through(self, body, head, whole):
        """From `head` round to it again, or of the whole kernel to its ends. Loops within are taken once; of the whole kernel not at
        all, but ways that meet more of them come first."""
        inner = {h: b for h, b in self.loops.items() if b < body and (whole or h != head)}
        inner = {h: b for h, b in inner.items() if not any(b < c for c in inner.values())}
        owner = {x: h for h, b in inner.items() for x in b}
        reached, done = {head: {(0, 0): (0, 0, 0, 0)}}, {}
        for at in self.order:
            if at not in body or at not in reached or owner.get(at, at) != at:
                continue
            members = inner.get(at, {at})
            leave = sorted({t for x in members for t in self.blocks[x].next} - (members if at in inner else set()))
            ends = any(self.blocks[x].ends for x in members)
            turns = self.of_block(at)
            if at in inner:
                turns = {(0, 0): (0, 0, 0, 0)} if whole else self.through(inner[at], at, False)
            for (met, much), cost in reached[at].items():
                for (_, more), extra in turns.items():
                    key = (met + (at in inner), much + more)
                    total = tuple(x + y for x, y in zip(cost, extra))
                    if ends if whole else head in leave:
                        self.merge(done, key, total)
                    for t in leave:
                        if t in body and t != head:
                            self.merge(reached.setdefault(t, {}), key, total)
        most = max((met for met, _ in done), default=0)
        best = {}
        for (met, much), cost in done.items():
            if not whole or met == most:
                self.merge(best, (0, much), cost)
        return best


def part_count(blocks, order, loops, body, head, whole):
    """{kind: {how much: cost}}."""
    is_guarded = len(set().union(*(blocks[b].guards for b in body))) > 1
    part = {}
    for kind, sign in (("GUARDED", 1),) if is_guarded else (("SHORTEST", 1), ("LONGEST", -1)):
        found = Ways(blocks, order, loops, sign, is_guarded).through(body, head, whole)
        part[kind] = dict(sorted((much, cost) for (_, much), cost in found.items())[:MOST_ROWS])
    return part


def usual(part):
    """Of the ways through a loop, the longest that stores most: its stores and fp."""
    stores, cost = max(part.get("LONGEST", {0: (0, 0, 0, 0)}).items())
    return stores, cost[1]


def times(large, small):
    """How many times the one loop does what the other does; 0: it does not."""
    (stores, fp), (less, few) = usual(large), usual(small)
    n = fp // few if few else 0
    return n if 2 <= n <= 16 and fp == n * few and stores == n * less else 0


def remainders_fold(parts):
    """[(unrolled, part, aside)]: where one loop does n times the work of another, that is what unrolling left of it."""
    whole = [(a, aside) for a, aside in parts if not any(times(b, a) for b, _ in parts)]
    return [(max([times(a, b) for b, _ in parts] + [1]), a, aside) for a, aside in whole]


def kernel_count(code):
    blocks = blocks_make(code)
    order = order_of(blocks, code[0].at)
    asides_take(blocks, order)
    loops = loops_find(blocks, order)
    outermost = [h for h in order if h in loops and not blocks[h].aside and not any(loops[h] < b for b in loops.values())]
    asides = [sum(blocks[b].aside for b in loops[h]) for h in outermost]
    once = sum(b.aside for b in blocks.values()) - sum(asides)
    parts = [part_count(blocks, order, loops, loops[h], h, False) for h in outermost]
    straight = part_count(blocks, order, loops, set(order), code[0].at, True)
    return [(1, straight, once)] + remainders_fold([(p, aside) for p, aside in zip(parts, asides) if any(p.values())])


def rows_of(part):
    """The longest way only where it differs from the shortest."""
    for kind, rows in part.items():
        for much, cost in rows.items():
            if kind != "LONGEST" or cost != part["SHORTEST"].get(much):
                yield kind, much, cost


def main():
    text = []
    for path in sys.argv[1:] or ["/dev/stdin"]:
        with open(path, encoding="utf-8", errors="replace") as file:
            text += file.readlines()
    print("/* Written by tools/sass_count.py. */")
    for name, code in sorted(kernels_read(text).items()):
        for number, (unrolled, part, aside) in enumerate(kernel_count(code) if code else []):
            for kind, much, (total, fp, memory, words) in rows_of(part):
                stores = 0 if kind == "GUARDED" else much
                other = total - fp - memory
                print(f'SASS("{name}", {number}, {unrolled}, {kind}, {stores}, {fp}, {memory}, {words}, {other}, {aside})')


if __name__ == "__main__":
    main()
