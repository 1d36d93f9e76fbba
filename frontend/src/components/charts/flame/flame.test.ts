import { describe, expect, it } from 'vitest';
import {
  allOf,
  type Box,
  boxesOf,
  costOf,
  differenceOf,
  type FlameNode,
  foundCost,
  framesOf,
  moved,
  nodeAt,
  type Profile,
  pathOf,
  strongestDifference,
  treeOf,
} from './flame';
import { off, six } from './profiles.testdata';

/** A profile of stacks written as `main;b 3`. */
function folded(cpu_us_per_request: number, ...lines: string[]): Profile {
  const frames: string[] = [];
  const stacks = lines.map((line) => {
    const [path = '', samples] = line.split(' ');
    const places = path.split(';').map((name) => {
      if (!frames.includes(name)) frames.push(name);
      return frames.indexOf(name);
    });
    return { frames: places, samples: Number(samples) };
  });
  return { frames, modules: frames.map(() => 'nginx'), stacks, cpu_us_per_request };
}

const NOTHING: Profile = { frames: [], modules: [], stacks: [], cpu_us_per_request: 0 };
const some = folded(100, 'main;send;copy 3', 'main;read 4', 'main;send 1', 'idle 2');
const at = (root: FlameNode, ...path: string[]): FlameNode =>
  path.reduce((node, name) => node.children.find((child) => child.name === name) as FlameNode, root);
const pathText = (node: FlameNode): string => (node.parent ? `${pathText(node.parent)};${node.name}` : '');
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

describe('The tree of a profile', () => {
  it('has what each frame costs a request, by itself and with what it calls', () => {
    const root = treeOf(some);
    expect(root.total.arm).toBeCloseTo(100);
    expect(at(root, 'main').total.arm).toBeCloseTo(80);
    expect(at(root, 'main').self.arm).toBe(0);
    expect(at(root, 'main', 'send').total.arm).toBeCloseTo(40);
    expect(at(root, 'main', 'send').self.arm).toBeCloseTo(10);
  });

  it('is in the order of names, however the stacks come', () => {
    const turned = { ...some, stacks: some.stacks.toReversed() };
    const paths = (profile: Profile) => allOf(treeOf(profile)).map(pathText);
    expect(paths(some)).toEqual(['', ';idle', ';main', ';main;read', ';main;send', ';main;send;copy']);
    expect(paths(turned)).toEqual(paths(some));
  });

  it('adds up at every frame of a real one', () => {
    for (const node of allOf(treeOf(six)))
      expect(node.self.arm + sum(node.children.map(({ total }) => total.arm))).toBeCloseTo(node.total.arm, 9);
    const selves = allOf(treeOf(six)).map(({ self }) => self.arm);
    expect(sum(selves)).toBeCloseTo(six.cpu_us_per_request, 9);
  });

  it('tells a function of the kernel from one of its name in a library', () => {
    const twice = {
      ...folded(30, 'copy 1', 'kernel_copy 2'),
      frames: ['copy', 'copy'],
      modules: ['libc.so', 'kernel'],
    };
    const costs = treeOf(twice).children.map(({ module, total }) => [module, Math.round(total.arm)]);
    expect(costs).toEqual([
      ['kernel', 20],
      ['libc.so', 10],
    ]);
  });

  it('of nothing is a root without cost', () => {
    expect(treeOf(NOTHING).total).toEqual({ arm: 0, against: 0 });
  });
});

describe('The difference of two profiles', () => {
  it('is zero everywhere where they are equal but for how long they lasted', () => {
    const longer = { ...six, stacks: six.stacks.map((stack) => ({ ...stack, samples: 3 * stack.samples })) };
    for (const { total } of allOf(treeOf(longer, six))) expect(differenceOf(total)).toBe(0);
  });

  it('is what was planted, in its frame and in those that call it', () => {
    const planted = folded(110, 'main;send;copy 3', 'main;read 4', 'main;send 1', 'idle 2', 'main;loop 1');
    const root = treeOf(planted, some);
    const callers = ['', ';main', ';main;loop'];
    expect(differenceOf(at(root, 'main', 'loop').total)).toBeCloseTo(10);
    for (const node of allOf(root))
      expect(differenceOf(node.total)).toBeCloseTo(callers.includes(pathText(node)) ? 10 : 0);
    expect(at(root, 'idle').total).toEqual({ arm: expect.closeTo(20), against: expect.closeTo(20) });
    expect(strongestDifference(root)).toBeCloseTo(10);
  });

  it('has the other sign, in the same places, where the arms are swapped', () => {
    const [one, other] = [treeOf(six, off), treeOf(off, six)];
    const [there, back] = [boxesOf(one, 0.002), boxesOf(other, 0.002)];
    expect(back.map(({ node }) => pathText(node))).toEqual(there.map(({ node }) => pathText(node)));
    back.forEach((box, place) => {
      const same = there[place] as Box;
      expect(box.width).toBeCloseTo(same.width, 12);
      expect(box.left).toBeCloseTo(same.left, 12);
      expect(differenceOf(costOf(box))).toBeCloseTo(-differenceOf(costOf(same)), 9);
    });
  });

  it('of gzip at level 6 and none is mostly in zlib', () => {
    const root = treeOf(six, off);
    expect(differenceOf(foundCost(root, 'libz')) / differenceOf(root.total)).toBeGreaterThan(0.8);
  });
});

it('A place in the graph is found again in that of another arm, as far as it is there', () => {
  const [root, other] = [treeOf(some), treeOf(folded(1, 'main;send 1'))];
  const copy = at(root, 'main', 'send', 'copy');
  expect(nodeAt(root, pathOf(copy))).toBe(copy);
  expect(nodeAt(other, pathOf(copy)).name).toBe('send');
  expect(nodeAt(root, [])).toBe(root);
});

describe('The frames of a profile', () => {
  const rowOf = (profile: Profile, name: string) =>
    framesOf(treeOf(profile)).find((row) => row.name === name)?.total.arm;

  it('are summed over their callers, and counted once where they call themselves', () => {
    const calls = folded(100, 'a;f;f;g 50', 'b;f 30', 'b 20');
    expect(rowOf(calls, 'f')).toBeCloseTo(80);
    expect(rowOf(calls, 'g')).toBeCloseTo(50);
  });

  it('by themselves add up to the whole', () => {
    expect(sum(framesOf(treeOf(six)).map(({ self }) => self.arm))).toBeCloseTo(six.cpu_us_per_request, 9);
  });

  it('are those below the one that is looked at', () => {
    expect(
      framesOf(at(treeOf(some), 'main', 'send'))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name }) => name),
    ).toEqual(['copy', 'send']);
  });
});

describe('A search', () => {
  it('sums what it finds, the found below the found once', () => {
    const root = treeOf(folded(100, 'main;deflate;deflate_fast 40', 'main;deflate 10', 'inflate 30', 'x 20'));
    expect(foundCost(root, 'DEFLATE').arm).toBeCloseTo(50);
    expect(foundCost(root, 'flate').arm).toBeCloseTo(80);
    expect(foundCost(root, 'nothing').arm).toBe(0);
    expect(foundCost(root, '').arm).toBe(0);
  });

  it('finds all of a module', () => {
    const kernel = foundCost(treeOf(six), 'kernel').arm;
    const stacks = six.stacks.filter(({ frames }) => frames.some((frame) => six.modules[frame] === 'kernel'));
    const share = sum(stacks.map(({ samples }) => samples)) / sum(six.stacks.map(({ samples }) => samples));
    expect(kernel / six.cpu_us_per_request).toBeCloseTo(share, 9);
    expect(share).toBeGreaterThan(0);
  });
});

describe('The boxes', () => {
  const depthsOf = (boxes: readonly Box[]) => [...new Set(boxes.map(({ node }) => node.depth))];

  it('lie side by side within those of their callers, and show all that these call', () => {
    for (const least of [0, 0.002, 0.05]) {
      const boxes = boxesOf(treeOf(six, off), least);
      for (const { node, joined, left, width } of boxes) {
        if (joined.length > 0) continue;
        const callees = boxes.filter((box) => box.node.parent === node);
        const { self, total } = node;
        const called = 1 - (self.arm + self.against) / (total.arm + total.against);
        expect(sum(callees.map((box) => box.width))).toBeCloseTo(width * called, 9);
        for (const box of callees) expect(box.left).toBeGreaterThanOrEqual(left - 1e-9);
      }
      for (const level of depthsOf(boxes).map((depth) => boxes.filter(({ node }) => node.depth === depth)))
        level.slice(1).forEach((box, place) => {
          const before = level[place] as Box;
          expect(box.left).toBeGreaterThanOrEqual(before.left + before.width - 1e-9);
        });
    }
  });

  it('join what is too narrow, and never cost more or less for it', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `main;f${index + 10} 1`);
    const boxes = boxesOf(treeOf(folded(100, ...lines, 'main;wide 50')), 0.05);
    expect(boxes.map(({ node, joined }) => joined.length || node.name)).toEqual(['', 'main', 50, 'wide']);
    expect(costOf(boxes[2] as Box).arm).toBeCloseTo(50);
    expect(boxes[2]?.width).toBeCloseTo(0.5);
  });

  it('of a frame that is looked at take the whole width, below its callers', () => {
    const boxes = boxesOf(at(treeOf(some), 'main', 'send'), 0);
    expect(boxes.map(({ node, width }) => [node.name, Math.round(width * 100)])).toEqual([
      ['', 100],
      ['main', 100],
      ['send', 100],
      ['copy', 75],
    ]);
  });

  it('are none where nothing was sampled', () => {
    expect(boxesOf(treeOf(NOTHING), 0)).toEqual([]);
  });
});

describe('The arrow keys', () => {
  const boxes = boxesOf(treeOf(some), 0);
  const from = (name: string, key: string) => {
    const start = boxes.find(({ node }) => node.name === name) as Box;
    return moved(boxes, start, key).node.name;
  };

  it.each([
    ['', 'ArrowDown', 'main'],
    ['main', 'ArrowDown', 'read'],
    ['read', 'ArrowRight', 'send'],
    ['send', 'ArrowDown', 'copy'],
    ['copy', 'ArrowUp', 'send'],
    ['main', 'ArrowLeft', 'idle'],
    ['idle', 'ArrowDown', 'idle'],
    ['idle', 'ArrowLeft', 'idle'],
    ['', 'ArrowUp', ''],
    ['main', 'x', 'main'],
  ])('lead from “%s” by %s to “%s”', (name, key, to) => {
    expect(from(name, key)).toBe(to);
  });
});
