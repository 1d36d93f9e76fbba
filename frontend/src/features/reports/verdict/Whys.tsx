import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from 'react-router';
import type { Report, Why, WhyEvidence } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { said } from '@/lib/language/serverText';
import { useMayProfile } from '../profiles/api';
import classes from './Whys.module.css';

/** The part of the report that has the chart or the table of a piece of evidence. */
const PARTS: Record<Exclude<WhyEvidence['kind'], 'function'>, string> = {
  phase: 'phases',
  limit: 'bottleneck',
  metric: 'comparison',
};

interface PieceProps {
  report: Report;
  arm: string;
  piece: WhyEvidence;
}

/** Leads to what it was taken from: a function to the flame graph of the same two arms. */
function Piece({ report, arm, piece: { kind, text } }: PieceProps) {
  if (kind !== 'function')
    return (
      <a href={`#${PARTS[kind]}`}>
        <ServerText text={text} />
      </a>
    );
  const search = new URLSearchParams({ profile: arm, against: report.analysis.baseline }).toString();
  return (
    <Link
      to={{ search, hash: 'profile' }}
      preventScrollReset
      onClick={() => document.getElementById('profile')?.scrollIntoView()}
    >
      <ServerText text={text} />
    </Link>
  );
}

function Line({ report, why }: { report: Report; why: Why }) {
  const titles = new Map(report.analysis.metrics.map(({ key, title }) => [key, said(title)]));
  return (
    <li data-found={why.found}>
      <span className={classes.metrics}>{why.metrics.map((key) => titles.get(key) ?? key).join(', ')}</span>
      <p>
        <ServerText text={why.text} />
      </p>
      {why.found === 'cause' && (
        <ul className={classes.pieces} aria-label={t`Evidence`}>
          {why.evidence.map((piece) => (
            <li key={`${piece.kind} ${piece.key}`}>
              <Piece report={report} arm={why.arm} piece={piece} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Where nothing was profiled: how a cause is looked for, for who may have it done. */
function HowToKnow({ report }: { report: Report }) {
  const mayProfile = useMayProfile(report);
  return (
    <p className={classes.how}>
      {mayProfile ? (
        <Trans>
          What causes it was not looked for: <a href="#profile">profile its arms</a>.
        </Trans>
      ) : (
        <Trans>What causes it was not looked for: its arms were not profiled.</Trans>
      )}
    </p>
  );
}

/** Why arms differ, as far as profiles and the phases of requests account for it. It decides nothing. */
export function Whys({ report }: { report: Report }) {
  const whys = report.why ?? [];
  if (whys.length === 0) return null;
  return (
    <div className={classes.whys}>
      <ul>
        {whys.map((why) => (
          <Line key={`${why.arm} ${why.metrics.join(' ')}`} report={report} why={why} />
        ))}
      </ul>
      {whys.some(({ found }) => found === 'not_profiled') && <HowToKnow report={report} />}
    </div>
  );
}
