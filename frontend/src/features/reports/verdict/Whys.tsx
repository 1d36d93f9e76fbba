import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useSearchParams } from 'react-router';
import type { Report, Why, WhyEvidence } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { said } from '@/lib/language/serverText';
import { useMayProfile, useProfiles } from '../profiles/api';
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

/** Where the keyboard goes on from there, as it does behind an address with a hash. */
function goTo(id: string) {
  const part = document.getElementById(id);
  if (!part) return;
  part.scrollIntoView();
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

/** Leads to what it was taken from: a function to the flame graph of the same two arms. */
function Piece({ report, arm, piece: { kind, text } }: PieceProps) {
  const [params] = useSearchParams();
  if (kind !== 'function')
    return (
      <a href={`#${PARTS[kind]}`}>
        <ServerText text={text} />
      </a>
    );
  const next = new URLSearchParams(params);
  next.set('profile', arm);
  next.set('against', report.analysis.baseline);
  return (
    <Link
      to={{ search: next.toString(), hash: 'profile' }}
      preventScrollReset
      onClick={() => goTo('profile')}
    >
      <ServerText text={text} />
    </Link>
  );
}

function Line({ report, why }: { report: Report; why: Why }) {
  const titles = new Map(report.analysis.metrics.map(({ key, title }) => [key, said(title)]));
  const names = why.metrics.map((key) => titles.get(key) ?? key).join(', ');
  return (
    <li data-found={why.found}>
      <span className={classes.metrics}>{why.stream ? `${names} (${why.stream})` : names}</span>
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

/** Where not all arms were profiled twice: how a cause is looked for, for who may have it done. */
function HowToKnow({ report }: { report: Report }) {
  const mayProfile = useMayProfile(report);
  const { data: profiles } = useProfiles(report.run.id);
  return (
    <p className={classes.how}>
      <Trans>What causes it was not looked for: that takes two profiles of each arm.</Trans>
      {mayProfile && profiles?.length === 0 && (
        <>
          {' '}
          <a href="#profile">
            <Trans>Profile its arms</Trans>
          </a>
        </>
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
          <Line key={`${why.arm} ${why.stream ?? ''} ${why.metrics.join(' ')}`} report={report} why={why} />
        ))}
      </ul>
      {whys.some(({ found }) => found === 'not_profiled') && <HowToKnow report={report} />}
    </div>
  );
}
