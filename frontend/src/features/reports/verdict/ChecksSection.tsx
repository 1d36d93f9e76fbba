import { t } from '@lingui/core/macro';
import { Accordion } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconExclamationCircle,
  IconInfoCircle,
} from '@tabler/icons-react';
import type { CheckSummary, RolledCheck } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import classes from './ChecksSection.module.css';

const ICONS = {
  pass: IconCheck,
  info: IconInfoCircle,
  warning: IconAlertTriangle,
  error: IconExclamationCircle,
  unavailable: IconCircleDashed,
};
const words = (): Record<RolledCheck['severity'], string> => ({
  pass: t({ message: 'pass', context: 'check' }),
  info: t({ message: 'info', context: 'check' }),
  warning: t`warning`,
  error: t`error`,
  unavailable: t`unavailable`,
});

const ORDER: RolledCheck['severity'][] = ['error', 'warning', 'unavailable', 'info', 'pass'];

function Check({ check }: { check: RolledCheck }) {
  const Icon = ICONS[check.severity];
  return (
    <li className={classes.check} data-severity={check.severity}>
      <Icon size={15} stroke={1.8} aria-label={words()[check.severity]} />
      <div>
        <b>
          <ServerText text={check.title} />
        </b>
        <ServerText text={check.message} />
        {check.remedy && (
          <span className={classes.remedy}>
            <ServerText text={check.remedy} />
          </span>
        )}
      </div>
    </li>
  );
}

function Checks({ checks }: { checks: readonly RolledCheck[] }) {
  return (
    <ul className={classes.checks}>
      {checks.map((check) => (
        <Check key={check.key} check={check} />
      ))}
    </ul>
  );
}

function fineWords({ passed, unavailable }: CheckSummary, infos: number): string {
  const facts = [
    t`${passed} passed`,
    infos > 0 && t`${infos} to know`,
    unavailable > 0 && t`${unavailable} could not be evaluated`,
  ];
  return facts.filter(Boolean).join(', ');
}

/** Whether the figures can be trusted: what needs attention is open, what passed can be unfolded. */
export function ChecksSection({ checks }: { checks: CheckSummary }) {
  const sorted = [...checks.results].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  const needsAttention = ({ severity }: RolledCheck) => severity === 'error' || severity === 'warning';
  const attention = sorted.filter(needsAttention);
  const fine = sorted.filter((check) => !needsAttention(check));
  const infos = fine.filter((check) => check.severity === 'info').length;
  return (
    <Section id="validity" title={t`Validity`} note={said(checks.text)}>
      {attention.length > 0 && <Checks checks={attention} />}
      {fine.length > 0 && (
        <Accordion
          variant="default"
          chevronPosition="left"
          classNames={{ control: classes.unfold, item: classes.unfoldItem }}
        >
          <Accordion.Item value="fine">
            <Accordion.Control>{fineWords(checks, infos)}</Accordion.Control>
            <Accordion.Panel>
              <Checks checks={fine} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Section>
  );
}
