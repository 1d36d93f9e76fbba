import { t } from '@lingui/core/macro';
import type { Report } from '@/api/generated';
import { CopyLink } from '@/components/ui/CopyLink';
import { Prose } from '@/components/ui/Prose';
import { Answers } from '@/components/verdict/Answers';
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
  return (
    <section id="verdict" className={classes.verdictSection} aria-label={title}>
      <Cautions report={report} />
      {analysis.not_valid && (
        <p className={classes.notValid} lang="en">
          <Prose text={analysis.not_valid} />
        </p>
      )}
      {answers.length > 0 && <Answers answers={answers} />}
      <p className={classes.trust} lang="en">
        <Prose text={analysis.qualification} />
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
