import { t } from '@lingui/core/macro';
import type { FactorEffect, FactorInteraction, RunAnalysis } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { english, said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import classes from './FactorsSection.module.css';

type Effect = Pick<FactorEffect | FactorInteraction, 'metric' | 'text' | 'family' | 'verdict'>;

/** What each factor does by itself, over all levels of the others, and where two do not simply multiply. */
export function FactorsSection({ analysis }: { analysis: RunAnalysis }) {
  const { factor_effects = [], factor_interactions = [], factor_effects_reason: reason } = analysis;
  const effects: Effect[] = [...factor_effects, ...factor_interactions];
  const metrics = analysis.metrics.filter(({ key }) => effects.some(({ metric }) => metric === key));
  const factors = Object.keys(analysis.arms[0]?.levels ?? {}).length;
  if (factors < 2 || (metrics.length === 0 && !reason)) return null;
  return (
    <Section
      id="factors"
      title={t`Factors`}
      note={t`Each level against the baseline's level, over all levels of the other factors. The intervals hold for all effects of a family together.`}
    >
      {reason && (
        <p className={classes.factorsReason}>
          <ServerText text={reason} />
        </p>
      )}
      {metrics.map(({ key, title }) => (
        <div key={key} className={classes.factorMetric}>
          <h3>{said(title)}</h3>
          <ul>
            {effects
              .filter(({ metric }) => metric === key)
              .map(({ text, family, verdict }) => (
                <li
                  key={english(text)}
                  data-claim={(family === 'primary' && verdict !== 'undecided') || undefined}
                >
                  <ServerText text={text} />
                </li>
              ))}
          </ul>
        </div>
      ))}
    </Section>
  );
}
