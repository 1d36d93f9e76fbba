import { plural, t } from '@lingui/core/macro';
import { Button, UnstyledButton } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import type { FrameClaimOut } from '@/api/generated';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { formatInterval, formatMicroseconds, formatValue } from '@/lib/format';
import { type Cost, differenceOf, type FlameNode, type FrameRow, framesOf, isFound } from './flame';
import classes from './flame.module.css';
import { type Arms, moduleOf, signed } from './words';

/** What may be said of a function by itself, or with what it calls: an interval of its difference. */
export type Claim = Pick<FrameClaimOut, 'frame' | 'module' | 'kind' | 'low' | 'high' | 'claimed'>;

const FEW = 10;

/** What rows can be ordered by; the greatest first, of a difference without its sign. */
const ORDERS = {
  self: ({ self }: FrameRow) => self.arm,
  total: ({ total }: FrameRow) => total.arm,
  selfDifference: ({ self }: FrameRow) => Math.abs(differenceOf(self)),
  totalDifference: ({ total }: FrameRow) => Math.abs(differenceOf(total)),
} as const;

type Order = keyof typeof ORDERS;

interface TableProps {
  arms: Arms;
  zoomed: FlameNode;
  text: string;
  /** Of functions wherever they are called. */
  claims?: readonly Claim[];
  /** Of the frame that is looked at in the graph. */
  pointed: string | null;
  onPoint: (key: string | null) => void;
  /** Search for a name. */
  onSearch: (text: string) => void;
}

const right = { align: 'right', look: { className: classes.number } } as const;

function Name({ row, props: { pointed, text, onSearch } }: { row: FrameRow; props: TableProps }) {
  const isSought = text === row.name;
  return (
    <UnstyledButton
      className={classes.name}
      data-frame={row.id}
      data-pointed={pointed === row.id || undefined}
      aria-pressed={isSought}
      onClick={() => onSearch(isSought ? '' : row.name)}
    >
      {row.name}
    </UnstyledButton>
  );
}

/** A difference with its interval; faint where it does not stand. */
function Difference({ cost, claim }: { cost: Cost; claim: Claim | undefined }) {
  return (
    <span data-claimed={claim?.claimed || undefined}>
      {signed(differenceOf(cost))}
      {claim && <small>{formatInterval(claim.low, claim.high, 'us')}</small>}
    </span>
  );
}

/** The claim on a row, where the whole graph is shown: a part of it has no intervals. */
function claimOf(row: FrameRow, kind: Claim['kind'], { claims, zoomed }: TableProps): Claim | undefined {
  if (zoomed.parent) return undefined;
  return claims?.find((one) => one.frame === row.name && one.module === row.module && one.kind === kind);
}

type SortOf = (order: Order) => Column<FrameRow>['sort'];

function figureColumns(props: TableProps, sort: SortOf): Column<FrameRow>[] {
  const { arms, zoomed } = props;
  const { against } = arms;
  const share = (part: number) => formatValue((100 * part) / zoomed.total.arm, '%');
  if (against === null)
    return [
      { name: t`By itself`, ...right, sort: sort('self'), cell: ({ self }) => formatMicroseconds(self.arm) },
      { name: t`Share`, id: 'self share', ...right, cell: ({ self }) => share(self.arm) },
      {
        name: t`With callees`,
        ...right,
        sort: sort('total'),
        cell: ({ total }) => formatMicroseconds(total.arm),
      },
      { name: t`Share`, id: 'total share', ...right, cell: ({ total }) => share(total.arm) },
    ];
  const { arm } = arms;
  return [
    {
      name: t`By itself: ${arm}`,
      ...right,
      sort: sort('self'),
      cell: ({ self }) => formatMicroseconds(self.arm),
    },
    { name: t`By itself: ${against}`, ...right, cell: ({ self }) => formatMicroseconds(self.against) },
    {
      name: t`Difference by itself`,
      ...right,
      sort: sort('selfDifference'),
      cell: (row) => <Difference cost={row.self} claim={claimOf(row, 'self', props)} />,
    },
    {
      name: t`Difference with callees`,
      ...right,
      sort: sort('totalDifference'),
      cell: (row) => <Difference cost={row.total} claim={claimOf(row, 'total', props)} />,
    },
  ];
}

const orderOf = ({ against }: Arms): Order => (against === null ? 'self' : 'selfDifference');

function useOrder(arms: Arms) {
  const [chosen, choose] = useState<Order | null>(null);
  const usual = orderOf(arms);
  const order = chosen && (arms.against !== null || !chosen.endsWith('Difference')) ? chosen : usual;
  const sort: SortOf = (one) => ({
    direction: one === order ? 'descending' : null,
    onSort: () => choose(one),
  });
  return { order, sort };
}

/** Every function below the frame that the graph shows: the graph in figures, for whoever does not see it, too. */
export const FrameTable = memo(function FrameTable(props: TableProps) {
  const { arms, zoomed, text, onPoint } = props;
  const { order, sort } = useOrder(arms);
  const [isWhole, setWhole] = useState(false);
  const frames = useMemo(() => framesOf(zoomed), [zoomed]);
  const rows = useMemo(
    () =>
      frames
        .filter((row) => text === '' || isFound(row, text))
        .sort((a, b) => ORDERS[order](b) - ORDERS[order](a)),
    [frames, text, order],
  );
  const columns: Column<FrameRow>[] = [
    { name: t`Function`, cell: (row) => <Name row={row} props={props} /> },
    { name: t`Module`, cell: (row) => moduleOf(row) },
    ...figureColumns(props, sort),
  ];
  return (
    <div
      className={classes.table}
      onPointerOver={({ target }) =>
        onPoint(
          (target as Element).closest('tr')?.querySelector<HTMLElement>('[data-frame]')?.dataset.frame ??
            null,
        )
      }
      onPointerLeave={() => onPoint(null)}
    >
      <DataTable
        columns={columns}
        rows={isWhole ? rows : rows.slice(0, FEW)}
        minWidth={arms.against === null ? 560 : 760}
        verticalSpacing={4}
        empty={t`No function has this in its name.`}
      />
      {rows.length > FEW && (
        <Button variant="subtle" size="compact-xs" className="no-print" onClick={() => setWhole(!isWhole)}>
          {isWhole
            ? t`Only the first`
            : plural(rows.length, { one: 'All # function', other: 'All # functions' })}
        </Button>
      )}
    </div>
  );
});
