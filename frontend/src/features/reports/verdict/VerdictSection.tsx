import { t } from '@lingui/core/macro';
import type { Report } from '@/api/generated';
import { CopyLink } from '@/components/ui/CopyLink';
import { Prose } from '@/components/ui/Prose';
import { Answers } from '@/components/verdict/Answers';
import { notValidWords, trustWords } from '@/components/verdict/ownWords';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import { useListed } from '../contents/sections';
import { Badges } from './Badges';
import { Cautions } from './Cautions';
import { InWords } from './InWords';
import classes from './VerdictSection.module.css';

/** The answers a reader takes away, what qualifies them, the figures behind them; the sentences can be unfolded. */
export function VerdictSection({ report }: { report: Report }) {
  const title = t`Verdict`;
  useListed('verdict', title);
  const { analysis } = report;
  const answers = analysis.answers ?? [];
  const notValid = notValidWords(analysis);
  return (
    <section id="verdict" className={classes.verdictSection} aria-label={title}>
      <Cautions report={report} />
      {notValid && (
        <p className={classes.notValid}>
          <Prose text={notValid} />
        </p>
      )}
      {answers.length > 0 && <Answers analysis={analysis} />}
      <p className={classes.trust}>
        <Prose text={trustWords(analysis)} />
      </p>
      {answers.length > 0 && <PrimaryMatrix analysis={analysis} />}
      <InWords report={report} always={answers.length === 0} />
      <div className={classes.foot}>
        <Badges report={report} />
        <CopyLink id="verdict" title={title} />
      </div>
    </section>
  );
}
