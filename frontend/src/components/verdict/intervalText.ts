import { range } from '@/lib/format';

/** An interval as the server writes it, such as `-1 % to +6 %`, in the reader's language. */
export function intervalText(text: string): string {
  const [, low, high] = /^(\S+(?: (?:%|[KMGT]?i?B))?) to (\S+(?: (?:%|[KMGT]?i?B))?)$/.exec(text) ?? [];
  return low && high ? range(low, high) : text;
}
