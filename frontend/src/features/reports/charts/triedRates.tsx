import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { CapacityTried, CurveRate } from '@/api/generated';
import { download } from '@/lib/download';

/** What every rate that an agent sets has, in the order of columns. */
export const TRIED = [
  'number',
  't_s',
  'seconds',
  'per_s',
  'achieved_per_s',
  'due',
  'served',
  'failed',
  'p50_us',
  'p90_us',
  'p99_us',
  'p999_us',
] as const satisfies readonly (keyof CapacityTried & keyof CurveRate)[];

/** The percentiles among them, with their names. */
export const PERCENTILES = [
  ['p50_us', 'p50'],
  ['p90_us', 'p90'],
  ['p99_us', 'p99'],
  ['p999_us', 'p99.9'],
] as const;

type Cell = string | number | boolean | null;

const QUOTED = /[",\n]/;

function cellText(value: Cell): string {
  const text = String(value ?? '');
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of comma-separated values (RFC 4180). */
export const csv = (lines: readonly (readonly Cell[])[]): string =>
  lines.map((line) => line.map(cellText).join(',')).join('\r\n');

interface Props {
  label: string;
  /** The file's. */
  name: string;
  text: () => string;
}

/** Saves a text as a file. */
export function SaveCsv({ label, name, text }: Props) {
  return (
    <Button
      variant="default"
      size="compact-xs"
      className="no-print"
      leftSection={<IconDownload size={14} />}
      onClick={() => download(new Blob([text()], { type: 'text/csv' }), name)}
    >
      {label}
    </Button>
  );
}
