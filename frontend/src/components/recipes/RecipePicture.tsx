import { t } from '@lingui/core/macro';
import type { RecipeSummary } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { formatAmong } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import classes from './recipes.module.css';

/** What each arm came to when the recipe was last recorded, as bars; before that, the arms alone. */
export function RecipePicture({ recipe }: { recipe: RecipeSummary }) {
  const { arms, shown, unit, metric_title: metric } = recipe;
  const values = arms.map(({ key }) => shown?.values[key]);
  const most = Math.max(...values.map((value) => value ?? 0));
  const name = said(metric);
  return (
    <figure className={classes.picture} aria-label={shown ? t`${name}, as last recorded` : t`Arms`}>
      {arms.map(({ key, label }, index) => {
        const value = values[index];
        return (
          <div key={key} className={classes.bar}>
            <span title={said(label)}>{said(label)}</span>
            <i
              style={{
                inlineSize: shown ? `${(100 * (value ?? 0)) / (most || 1)}%` : 8,
                background: armColor(index),
              }}
            />
            <b>{value === undefined ? '' : formatAmong(value, values, unit)}</b>
          </div>
        );
      })}
      {shown && <figcaption>{name}</figcaption>}
    </figure>
  );
}
