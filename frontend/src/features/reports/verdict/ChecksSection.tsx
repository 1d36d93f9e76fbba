import { Accordion } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconExclamationCircle,
  IconInfoCircle,
} from '@tabler/icons-react';
import type { CheckSummary, RolledCheck } from '@/api/generated';
import { Section } from '../contents/Section';
import classes from './ChecksSection.module.css';

const ICONS = {
  pass: IconCheck,
  info: IconInfoCircle,
  warning: IconAlertTriangle,
  error: IconExclamationCircle,
  unavailable: IconCircleDashed,
};
const ORDER: RolledCheck['severity'][] = ['error', 'warning', 'unavailable', 'info', 'pass'];

function Check({ check }: { check: RolledCheck }) {
  const Icon = ICONS[check.severity];
  return (
    <li className={classes.check} data-severity={check.severity}>
      <Icon size={15} stroke={1.8} aria-label={check.severity} />
      <div>
        <b>{check.title}</b>
        <span>{check.message}</span>
        {check.remedy && <span className={classes.remedy}>{check.remedy}</span>}
      </div>
    </li>
  );
}

/** Whether the figures can be trusted: what needs attention is open, what passed can be unfolded. */
export function ChecksSection({ checks }: { checks: CheckSummary }) {
  const sorted = [...checks.results].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  const needsAttention = ({ severity }: RolledCheck) => severity === 'error' || severity === 'warning';
  const attention = sorted.filter(needsAttention);
  const fine = sorted.filter((check) => !needsAttention(check));
  const infos = fine.filter((check) => check.severity === 'info').length;
  return (
    <Section title="Validity" note={checks.text}>
      {attention.length > 0 && (
        <ul className={classes.checks}>
          {attention.map((check) => (
            <Check key={check.key} check={check} />
          ))}
        </ul>
      )}
      {fine.length > 0 && (
        <Accordion
          variant="default"
          chevronPosition="left"
          classNames={{ control: classes.unfold, item: classes.unfoldItem }}
        >
          <Accordion.Item value="fine">
            <Accordion.Control>
              {checks.passed} passed
              {infos > 0 && `, ${infos} to know`}
              {checks.unavailable > 0 && `, ${checks.unavailable} could not be evaluated`}
            </Accordion.Control>
            <Accordion.Panel>
              <ul className={classes.checks}>
                {fine.map((check) => (
                  <Check key={check.key} check={check} />
                ))}
              </ul>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Section>
  );
}
