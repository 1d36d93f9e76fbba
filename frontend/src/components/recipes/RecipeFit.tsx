import { plural, t } from '@lingui/core/macro';
import { IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react';
import type { RecipeSummary } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { said } from '@/lib/language/serverText';
import classes from './recipes.module.css';

/** Whether hosts can run it; where none can, what they lack. */
export function RecipeFit({ recipe: { hosts } }: { recipe: RecipeSummary }) {
  const fitting = hosts.filter(({ fits }) => fits);
  const lacked = hosts.flatMap(({ lacks }) => lacks).find(({ must }) => must);
  const name = fitting[0]?.host ?? '';
  if (hosts.length === 0)
    return (
      <span className={classes.fit}>
        <IconCircleDashed size={14} aria-hidden />
        {t`no host yet`}
      </span>
    );
  if (fitting.length > 0)
    return (
      <span className={classes.fit} data-tone="ok">
        <IconCheck size={14} aria-hidden />
        {fitting.length === 1
          ? t`fits ${name}`
          : plural(fitting.length, { one: 'fits # host', other: 'fits # hosts' })}
      </span>
    );
  return (
    <span className={classes.fit} data-tone="missing" title={lacked && said(lacked.remedy ?? lacked.why)}>
      <IconX size={14} aria-hidden />
      <span>
        {t`no host has:`} {lacked && <ServerText text={lacked.what} />}
      </span>
    </span>
  );
}
