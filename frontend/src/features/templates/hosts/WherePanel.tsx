import { t } from '@lingui/core/macro';
import type { TemplateDetail } from '@/api/generated';
import type { HostChoice } from '@/components/hosts/useHostChoice';
import { Panel } from '@/components/ui/Panel';
import type { Slot } from '@/domain/slots';
import { HostChoicePanel } from './HostChoicePanel';
import { NeedsList } from './NeedsList';
import classes from './WherePanel.module.css';

interface Props {
  slots: readonly Slot[];
  choice: HostChoice;
  needs: TemplateDetail['needs'];
}

/** Where to run, and whether those hosts have what the template needs. */
export function WherePanel({ slots, choice, needs }: Props) {
  return (
    <Panel title={t`Where`}>
      <div className={classes.where}>
        <div>
          <HostChoicePanel slots={slots} choice={choice} />
        </div>
        <NeedsList needs={needs} />
      </div>
    </Panel>
  );
}
