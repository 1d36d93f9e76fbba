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

/** `wanted`, or with a number behind it, such that none of `items` has that key. */
export function freeKey(wanted: string, items: readonly { key: string }[]): string {
  return uniqueKey(
    wanted,
    items.map(({ key }) => key),
  );
}

/** Numbers as they are typed: whatever stands in the field, until the backend says what is wrong with it. */
export type NumberText = number | string;

/** Every field there, and numbers as they are typed. */
export type Typed<T> = {
  [K in keyof T]-?: number extends T[K] ? NumberText | Exclude<T[K], undefined> : Required<T>[K];
};

export type Scalar = string | number | boolean;

export interface Pair {
  name: string;
  value: Scalar;
}
