import { useMemo, useState } from 'react';

/**
 * Items in the order given, until `isSettled` once. From then on each name keeps its place (items of one name stand
 * together), and what comes later stands after all that were there: a chart that has its first reading in the tenth
 * trial does not push others from under their reader.
 */
export function useSteadyOrder<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  isSettled: boolean,
): readonly T[] {
  const [kept, setKept] = useState<readonly string[]>([]);
  const names = [...new Set(items.map(nameOf))];
  const news = names.filter((name) => !kept.includes(name));
  const isKept = isSettled || kept.length > 0;
  if (isKept && news.length > 0) setKept([...kept, ...news]);
  const places = isKept ? [...kept, ...news].join('\n') : undefined;
  return useMemo(() => {
    if (places === undefined) return items;
    const order = places.split('\n');
    return [...items].sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)));
  }, [items, nameOf, places]);
}
