export const MOST_TAGS = 20;

const MOST_CHARACTERS = 32;
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}\-_.]*$/u;

/** A tag as the backend writes it, or `null` for what is none. */
export function normalTag(text: string): string | null {
  const tag = text.normalize('NFKC').trim().replace(/^#/, '').toLowerCase().normalize('NFKC');
  return TAG.test(tag) && [...tag].length <= MOST_CHARACTERS ? tag : null;
}

/** The tags of an address: joined by commas, which no tag has. */
export function tagsIn(text: string): string[] {
  return [...new Set(text.split(',').flatMap((part) => normalTag(part) ?? []))];
}
