/** Trees of stacks, of one arm or of two, and where a flame graph draws them. Pure. */

/** The stacks of an arm as the API gives them. */
export interface Profile {
  frames: readonly string[];
  /** The program, library or kernel of each frame; empty where nobody knows. */
  modules: readonly string[];
  /** Each with its frames as places in `frames`, the root first. */
  stacks: readonly { frames: readonly number[]; samples: number }[];
  cpu_us_per_request: number;
}

/** Microseconds of CPU a request. */
export interface Cost {
  arm: number;
  /** Of the arm that it is compared with; 0 where there is none. */
  against: number;
}

export interface FlameNode {
  /** Its place among all nodes of the tree, callers first. */
  id: number;
  name: string;
  /** The program, the library, or `kernel`. */
  module: string;
  /** How many frames are above it. */
  depth: number;
  parent: FlameNode | null;
  /** By name, so that two arms have the same order. */
  children: FlameNode[];
  /** By itself. */
  self: Cost;
  /** With all that it calls. */
  total: Cost;
}

const none = (): Cost => ({ arm: 0, against: 0 });

function add(to: Cost, { arm, against }: Cost): void {
  to.arm += arm;
  to.against += against;
}

/** What is smaller is from adding up: a millionth of a nanosecond. */
const NEGLIGIBLE_US = 1e-9;

export function differenceOf({ arm, against }: Cost): number {
  const difference = arm - against;
  return Math.abs(difference) < NEGLIGIBLE_US ? 0 : difference;
}

/** What a width shows: of two arms the sum, so that what only one of them has is seen, and a swap moves nothing. */
const weightOf = ({ arm, against }: Cost): number => arm + against;

const nodeIn = (parent: FlameNode | null, name: string, module: string): FlameNode => ({
  id: 0,
  name,
  module,
  depth: parent ? parent.depth + 1 : 0,
  parent,
  children: [],
  self: none(),
  total: none(),
});

/** Tells functions apart: those of one name in two modules are two. */
export const keyOf = (name: string, module: string): string => `${name}\u0000${module}`;

type Callees = Map<FlameNode, Map<string, FlameNode>>;

function calleeOf(caller: FlameNode, name: string, module: string, known: Callees): FlameNode {
  const callees = known.get(caller) ?? new Map<string, FlameNode>();
  known.set(caller, callees);
  const key = keyOf(name, module);
  const callee = callees.get(key) ?? nodeIn(caller, name, module);
  callees.set(key, callee);
  return callee;
}

function addStacks(root: FlameNode, profile: Profile, side: keyof Cost, known: Callees): void {
  const samples = profile.stacks.reduce((sum, stack) => sum + stack.samples, 0);
  for (const stack of profile.stacks) {
    const us = (stack.samples / samples) * profile.cpu_us_per_request;
    let node = root;
    node.total[side] += us;
    for (const frame of stack.frames) {
      node = calleeOf(node, profile.frames[frame] ?? '', profile.modules[frame] ?? '', known);
      node.total[side] += us;
    }
    node.self[side] += us;
  }
}

/** The stacks of an arm, and of another one if given, as one tree. Each arm's cost is that of its own requests. */
export function treeOf(arm: Profile, against: Profile | null = null): FlameNode {
  const root = nodeIn(null, '', '');
  const known: Callees = new Map();
  addStacks(root, arm, 'arm', known);
  if (against) addStacks(root, against, 'against', known);
  for (const [node, callees] of known)
    node.children = [...callees].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, callee]) => callee);
  allOf(root).forEach((node, place) => {
    node.id = place;
  });
  return root;
}

/** The node and all below it, callers first. */
export function allOf(node: FlameNode): FlameNode[] {
  return [node, ...node.children.flatMap(allOf)];
}

/** The node's callers, the root first. */
export function callersOf({ parent }: FlameNode): FlameNode[] {
  return parent ? [...callersOf(parent), parent] : [];
}

/** A function wherever it was called. */
export interface FrameRow {
  /** Its key. */
  id: string;
  name: string;
  module: string;
  self: Cost;
  total: Cost;
}

/** What each function costs below `node`. One that calls itself is counted once. */
export function framesOf(node: FlameNode): FrameRow[] {
  const rows = new Map<string, FrameRow>();
  const visit = (one: FlameNode, above: ReadonlySet<string>) => {
    const { name, module } = one;
    const id = keyOf(name, module);
    const row = rows.get(id) ?? { id, name, module, self: none(), total: none() };
    rows.set(id, row);
    add(row.self, one.self);
    if (!above.has(id)) add(row.total, one.total);
    const within = new Set(above).add(id);
    for (const child of one.children) visit(child, within);
  };
  const above = new Set<string>();
  if (node.parent) visit(node, above);
  else for (const child of node.children) visit(child, above);
  return [...rows.values()];
}

export const isKernel = ({ module }: Pick<FlameNode, 'module'>): boolean => module === 'kernel';

/** Whether the searched text is in the name of a frame, or of its module; none is nowhere. */
export function isFound({ name, module }: Pick<FlameNode, 'name' | 'module'>, text: string): boolean {
  const sought = text.toLowerCase();
  return sought !== '' && [name, module].some((one) => one.toLowerCase().includes(sought));
}

/** What the found frames below `node` cost together; those below others are in them already. */
export function foundCost(node: FlameNode, text: string): Cost {
  if (node.parent && isFound(node, text)) return node.total;
  const sum = none();
  for (const child of node.children) add(sum, foundCost(child, text));
  return sum;
}

/** A rectangle of the graph. */
export interface Box {
  /** The frame it shows; of several, the first. */
  node: FlameNode;
  /** The frames too narrow to be drawn that it stands for, side by side; of others, empty. */
  joined: readonly FlameNode[];
  /** From the left, and wide, as parts of the whole width. */
  left: number;
  width: number;
}

/** The cost of what a box shows. */
export function costOf({ node, joined }: Box): Cost {
  if (joined.length === 0) return node.total;
  const sum = none();
  for (const one of joined) add(sum, one.total);
  return sum;
}

/** The callees of a node from `left` on, in the graph of `whole`; what is narrower than `least` joins its neighbours. */
function calleeBoxes(node: FlameNode, left: number, whole: number, least: number): Box[] {
  const boxes: Box[] = [];
  let x = left;
  let narrow: FlameNode[] = [];
  let narrowFrom = left;
  const join = () => {
    const [first] = narrow;
    if (first && x > narrowFrom)
      boxes.push({ node: first, joined: narrow, left: narrowFrom, width: x - narrowFrom });
    narrow = [];
  };
  for (const child of node.children) {
    const width = weightOf(child.total) / whole;
    if (width < least) {
      if (narrow.length === 0) narrowFrom = x;
      narrow.push(child);
    } else {
      join();
      boxes.push({ node: child, joined: [], left: x, width }, ...calleeBoxes(child, x, whole, least));
    }
    x += width;
  }
  join();
  return boxes;
}

/** The boxes of a graph that shows `zoomed` over its whole width, below its callers. `least`: the narrowest box. */
export function boxesOf(zoomed: FlameNode, least: number): Box[] {
  const whole = weightOf(zoomed.total);
  if (whole === 0) return [];
  const wide = [...callersOf(zoomed), zoomed].map((node) => ({ node, joined: [], left: 0, width: 1 }));
  return [...wide, ...calleeBoxes(zoomed, 0, whole, least)];
}

/** Parts of the width below which two edges are one. */
const SAME = 1e-9;

const isBelow = (box: Box, { left, width }: Box) =>
  box.left >= left - SAME && box.left + box.width <= left + width + SAME;

const MOVES = {
  ArrowLeft: (level: readonly Box[], at: Box) => level.filter(({ left }) => left < at.left).at(-1),
  ArrowRight: (level: readonly Box[], at: Box) => level.find(({ left }) => left > at.left),
};

/** Where an arrow key leads from `at`: to a neighbour, to the caller, or to the callee that costs most. */
export function moved(boxes: readonly Box[], at: Box, key: string): Box {
  const levelOf = (depth: number) => boxes.filter(({ node }) => node.depth === depth);
  const { depth } = at.node;
  if (key === 'ArrowUp') return levelOf(depth - 1).find((box) => isBelow(at, box)) ?? at;
  if (key === 'ArrowDown') {
    const [widest] = levelOf(depth + 1)
      .filter((box) => isBelow(box, at))
      .sort((a, b) => b.width - a.width);
    return widest ?? at;
  }
  if (key === 'ArrowLeft' || key === 'ArrowRight') return MOVES[key](levelOf(depth), at) ?? at;
  return at;
}

/** Of the whole cost: colours are no stronger for differences that are smaller than this. */
const LEAST_STRONG = 0.01;

/** The difference at which colours are strongest, in µs of CPU a request: the greatest of any frame. */
export function strongestDifference(root: FlameNode): number {
  const differences = allOf(root).map(({ total }) => Math.abs(differenceOf(total)));
  return Math.max(LEAST_STRONG * weightOf(root.total), ...differences);
}

/** A node by the keys on the way to it: in another tree, the last that is there. */
export function nodeAt(root: FlameNode, path: readonly string[]): FlameNode {
  const [first, ...rest] = path;
  const next = root.children.find(({ name, module }) => keyOf(name, module) === first);
  return next ? nodeAt(next, rest) : root;
}

/** The keys on the way from the root to the node. */
export function pathOf({ parent, name, module }: FlameNode): string[] {
  return parent ? [...pathOf(parent), keyOf(name, module)] : [];
}
