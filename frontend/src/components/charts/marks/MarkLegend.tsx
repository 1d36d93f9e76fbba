import { t } from '@lingui/core/macro';
import { memo } from 'react';
import type { ActionMark } from '@/api/generated';
import { byPerturbation, outcomeOf } from '@/domain/actions';
import classes from './marks.module.css';

function counts(marks: readonly ActionMark[]): { failed: number; skipped: number } {
  const outcomes = marks.map(outcomeOf);
  return {
    failed: outcomes.filter((outcome) => outcome === 'failed').length,
    skipped: outcomes.filter((outcome) => outcome === 'skipped').length,
  };
}

/** What the marks of a chart stand for, and how often it went wrong. Entries of a legend's list. */
export const MarkLegend = memo(function MarkLegend({ actions }: { actions: readonly ActionMark[] }) {
  return byPerturbation(actions).map((marks) => {
    const [first] = marks;
    if (!first) return null;
    const { failed, skipped } = counts(marks);
    return (
      <li key={`${first.host} ${first.perturbation}`} className={classes.legend}>
        <span
          className={classes.swatch}
          data-lasts={first.action.endsWith('pressure') || undefined}
          aria-hidden
        />
        {first.perturbation}
        {marks.length > 1 && ` × ${marks.length}`}
        {failed > 0 && <span className={classes.failed}>{t`✕ ${failed} failed`}</span>}
        {skipped > 0 && <span>{t`○ ${skipped} skipped`}</span>}
      </li>
    );
  });
});
