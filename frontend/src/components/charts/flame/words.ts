import { plural, t } from '@lingui/core/macro';
import { formatMicroseconds, formatValue } from '@/lib/format';
import { type Box, type Cost, costOf, differenceOf, type FlameNode, isKernel } from './flame';

/** The labels of the arms that a graph shows. */
export interface Arms {
  arm: string;
  /** That it is compared with, if any. */
  against: string | null;
}

/** `+412 µs`, `−3.2 µs`. */
export function signed(us: number): string {
  const text = formatMicroseconds(us);
  return us > 0 ? `+${text}` : text;
}

/** Where a function is. */
export function moduleOf(node: Pick<FlameNode, 'module'>): string {
  if (isKernel(node)) return t`kernel`;
  return node.module || t`unknown`;
}

/** What a box is called: frames of the kernel say so, whatever their colour. */
export function nameOf({ node, joined }: Box): string {
  if (joined.length > 0) return plural(joined.length, { one: '# narrow frame', other: '# narrow frames' });
  if (!node.parent) return t`all`;
  const { name } = node;
  return isKernel(node) && name !== '[kernel]' ? t`${name} (kernel)` : name;
}

function selfOf({ node, joined }: Box): Cost | null {
  return joined.length > 0 ? null : node.self;
}

const shareOf = (part: number, whole: number) => formatValue(whole === 0 ? null : (100 * part) / whole, '%');

type Row = readonly [name: string, value: string];

function rowsOfOne(box: Box, root: FlameNode): Row[] {
  const [total, self] = [costOf(box), selfOf(box)];
  return [
    [t`CPU a request`, formatMicroseconds(total.arm)],
    [t`Share`, shareOf(total.arm, root.total.arm)],
    ...(self ? [[t`By itself`, formatMicroseconds(self.arm)] as const] : []),
  ];
}

/** Names and values of what a box costs a request. */
export function costRows(box: Box, root: FlameNode, { arm, against }: Arms): Row[] {
  const module: Row[] = box.node.parent && box.joined.length === 0 ? [[t`Module`, moduleOf(box.node)]] : [];
  if (against === null) return [...module, ...rowsOfOne(box, root)];
  const [total, self] = [costOf(box), selfOf(box)];
  return [
    ...module,
    [arm, formatMicroseconds(total.arm)],
    [against, formatMicroseconds(total.against)],
    [t`Difference`, signed(differenceOf(total))],
    ...(self ? [[t`Difference by itself`, signed(differenceOf(self))] as const] : []),
  ];
}

/** The same as one line, for who does not see it. */
export function labelOf(box: Box, root: FlameNode, arms: Arms): string {
  const figures = costRows(box, root, arms).map(([name, value]) => `${name} ${value}`);
  return [nameOf(box), ...figures].join(', ');
}

/** What a search has found: the cost of all of it, and its share. */
export function foundWords(found: Cost, root: FlameNode, { against }: Arms): string {
  const cost = formatMicroseconds(found.arm);
  const share = shareOf(found.arm, root.total.arm);
  if (against === null) return t`Found: ${cost} a request, ${share} of the arm’s CPU.`;
  const difference = signed(differenceOf(found));
  const part = shareOf(differenceOf(found), differenceOf(root.total));
  return t`Found: ${cost} a request, ${difference}, which is ${part} of the difference.`;
}
