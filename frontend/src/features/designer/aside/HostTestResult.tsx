import { t } from '@lingui/core/macro';
import { Alert, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ArmConfigFinding, ConfigTestOut } from '@/api/generated';
import { StateText } from '@/components/ui/badges/StateText';
import { ServerText } from '@/components/ui/language/ServerText';
import { focusField } from '../fieldRegistry';
import classes from './aside.module.css';

/** Where a finding leads: the field and line of the template, or the line of what ngxlab wrote. */
function placeOf({ field, line, rendered_line }: ArmConfigFinding): string | null {
  if (field) return line ? t`${field}, line ${line}` : field;
  return rendered_line ? t`nginx.conf, line ${rendered_line}` : null;
}

function Finding({ finding }: { finding: ArmConfigFinding }) {
  const place = placeOf(finding);
  const { field } = finding;
  return (
    <li>
      {field ? (
        <button type="button" onClick={() => focusField(field)}>
          {place}
        </button>
      ) : (
        place && <b>{place}</b>
      )}{' '}
      <span lang="en">
        [{finding.severity}] {finding.message}
      </span>
    </li>
  );
}

/** Arm by arm: whether nginx takes its configuration, and what it said. */
export function HostTestResult({ test, isStale }: { test: ConfigTestOut; isStale: boolean }) {
  if (test.state === 'failed')
    return (
      <Alert mt="sm" color="red" variant="light" title={t`The host did not answer`}>
        {test.reason && <ServerText text={test.reason} />}
      </Alert>
    );
  const host = test.host_name;
  const several = new Set(test.arms.map(({ nginx }) => nginx)).size > 1;
  return (
    <div className={classes.spaced} data-stale={isStale || undefined}>
      <Text size="sm" fw={600}>
        {test.accepted ? t`nginx on ${host} accepts every arm` : t`nginx on ${host} rejects at least one arm`}
      </Text>
      {isStale && (
        <Text size="xs" c="var(--text-dim)">
          {t`The draft has changed since this test.`}
        </Text>
      )}
      <ul className={classes.armTests} aria-label={t`Test results by arm`}>
        {test.arms.map(({ arm, accepted, findings, nginx }) => (
          <li key={arm}>
            <StateText tone={accepted ? 'done' : 'danger'} icon={accepted ? IconCheck : IconX}>
              {accepted ? t`${arm} accepted` : t`${arm} rejected`}
            </StateText>
            {several && <code> {nginx}</code>}
            {findings.length > 0 && (
              <ul className={classes.findings}>
                {findings.map((finding) => (
                  <Finding key={`${finding.rendered_line}:${finding.message}`} finding={finding} />
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
