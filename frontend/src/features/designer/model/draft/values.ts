import { DEFAULTS, PARTS } from '../../fields/declared';

/**
 * What a text field holds, as a definition has it: a number only where the number reads exactly as it was typed, so
 * that nothing typed is ever changed ("1." and "{{ workers }}" stay text, and the backend says what is wrong).
 */
export function numberOrText(text: string): number | string {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) && String(value) === text ? value : text;
}

/** The value of a variable: a number or a truth value where it reads as one, else text. */
export function scalarOf(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  return numberOrText(text);
}

/** A key from a name: "Accept mutex on" -> "accept-mutex-on". */
export function slug(label: string): string {
  return label
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .slice(0, 60);
}

/** `wanted`, with a number behind it where others have it already. */
export function uniqueKey(wanted: string, taken: readonly string[]): string {
  let key = wanted;
  for (let number = 2; taken.includes(key); number += 1) key = `${wanted}-${number}`;
  return key;
}

export const keysOf = (items: readonly { key: string }[]) => items.map(({ key }) => key);

/** Numbers as they are typed: whatever stands in the field, until the backend says what is wrong with it. */
export type NumberText = number | string;

export type Scalar = string | number | boolean;

export interface Pair {
  name: string;
  value: Scalar;
}

/** Every field there, and numbers as they are typed. */
export type Typed<T> = T extends number
  ? NumberText
  : T extends readonly (infer One)[]
    ? Typed<One>[]
    : T extends object
      ? { [K in keyof T]-?: Typed<Exclude<T[K], undefined>> }
      : T;

const defaultsOf = (section: string): { kind?: string } =>
  (DEFAULTS as Record<string, object>)[section] ?? {};

/** A section of the schema with the defaults of what it leaves out, and so are the sections in it. */
export function filled<T extends object>(section: string, given: T): Typed<T> {
  const parts = (PARTS as Record<string, Record<string, readonly string[]>>)[section] ?? {};
  const whole: Record<string, unknown> = { ...defaultsOf(section), ...given };
  for (const [field, names] of Object.entries(parts)) whole[field] = filledPart(names, whole[field]);
  return whole as Typed<T>;
}

function filledPart(names: readonly string[], part: unknown): unknown {
  if (Array.isArray(part)) return part.map((one) => filledPart(names, one));
  if (typeof part !== 'object' || part === null) return part;
  const { kind } = part as { kind?: string };
  const name = names.find((own) => defaultsOf(own).kind === kind);
  return name ? filled(name, part) : part;
}
