/** One chart of a shared report, by its place there. */
export interface ChartPlace {
  /** A series of the catalogue, or the distribution of latency, or its change by percentile. */
  key: string;
  /** Which of its lines; the first that is compared without it. */
  line?: string;
  block?: string;
}

export const LATENCY = 'latency';
export const SHIFT = 'latency-shift';
export type Scheme = 'auto' | 'light' | 'dark';

export function chartAddress(origin: string, token: string, place: ChartPlace, scheme: Scheme): string {
  const params = new URLSearchParams();
  if (place.line) params.set('line', place.line);
  if (place.block) params.set('block', place.block);
  if (scheme !== 'auto') params.set('scheme', scheme);
  const query = params.size > 0 ? `?${params}` : '';
  return `${origin}/shared/${encodeURIComponent(token)}/charts/${encodeURIComponent(place.key)}${query}`;
}

const quoted = (text: string) => text.replace(/[&"<>]/g, (sign) => `&#${sign.codePointAt(0)};`);

/** HTML that shows the chart in another page. */
export function chartHtml(address: string, title: string, height = 340): string {
  return `<iframe src="${quoted(address)}" title="${quoted(title)}" width="720" height="${height}" style="border:0;max-width:100%" loading="lazy"></iframe>`;
}
