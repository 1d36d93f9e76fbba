import { t } from '@lingui/core/macro';
import { armColor } from '@/components/charts/palette';
import { Tag } from '@/components/ui/Tag';
import { named } from '@/lib/language/serverText';
import classes from './ArmMark.module.css';

export function ArmMark({ index, label, baseline }: { index: number; label: string; baseline?: boolean }) {
  return (
    <span className={classes.arm} data-arm>
      <span className={classes.armSwatch} style={{ background: armColor(index) }} aria-hidden />
      <span title={named(label)}>{named(label)}</span>
      {baseline && <Tag>{t`baseline`}</Tag>}
    </span>
  );
}
