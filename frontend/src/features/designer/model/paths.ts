/** Dotted paths as the backend names fields, e.g. `streams.0.connections`. */

type Container = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

export function valueAt(root: unknown, path: string): unknown {
  let here = root;
  for (const part of path.split('.')) {
    if (!isContainer(here)) return undefined;
    here = (here as Record<string, unknown>)[part];
  }
  return here;
}

function setParts(here: unknown, parts: readonly string[], value: unknown): unknown {
  const [part, ...rest] = parts;
  if (part === undefined) return value;
  const copy = Array.isArray(here) ? [...here] : { ...(here as Record<string, unknown>) };
  (copy as Record<string, unknown>)[part] = setParts((copy as Record<string, unknown>)[part], rest, value);
  return copy;
}

/** A copy with one value changed; what is not on the path is shared. */
export function withValue<T>(root: T, path: string, value: unknown): T {
  return setParts(root, path.split('.'), value) as T;
}

/** A copy in which what stands at `path` is what `change` makes of it. */
export function withChange<T, V>(root: T, path: string, change: (value: V) => V): T {
  return withValue(root, path, change(valueAt(root, path) as V));
}

/** Whether `path` is `owner` itself or something below it. */
export function isWithin(path: string, owner: string): boolean {
  return path === owner || path.startsWith(`${owner}.`);
}

export function moved<T>(items: readonly T[], index: number, by: number): T[] {
  const target = index + by;
  const copy = [...items];
  if (target < 0 || target >= copy.length) return copy;
  copy.splice(target, 0, ...copy.splice(index, 1));
  return copy;
}

/** Where two values differ, as paths of leaves. */
export function changedPaths(before: unknown, after: unknown, path = ''): string[] {
  if (Object.is(before, after)) return [];
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    changedPaths(
      (before as Record<string, unknown>)[key],
      (after as Record<string, unknown>)[key],
      path ? `${path}.${key}` : key,
    ),
  );
}
