import { formatNumber } from '@/lib/format';

interface Props {
  /** Unknown until the first answer. */
  total: number | undefined;
  /** What is listed: "run". */
  what: string;
}

/** Says how many a search has found to those who do not see the rows change. */
export function Found({ total, what }: Props) {
  return (
    <p role="status" className="visually-hidden">
      {total !== undefined && `${formatNumber(total)} ${what}${total === 1 ? '' : 's'}`}
    </p>
  );
}
