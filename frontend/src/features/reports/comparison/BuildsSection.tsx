import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Table, Text } from '@mantine/core';
import type { NginxBuild, Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { armIndex } from '@/domain/trials';
import { Section } from '../contents/Section';

/** Whether builds at different places are one and the same: their arms then differ by chance alone. */
function isOneFile(builds: readonly NginxBuild[]): boolean {
  return new Set(builds.map(({ sha256 }) => sha256)).size < new Set(builds.map(({ path }) => path)).size;
}

/** Which nginx each arm ran, where they ran different ones. */
export function BuildsSection({ report }: { report: Report }) {
  const { arms } = report.analysis;
  const builds = arms.flatMap(({ nginx_build }) => nginx_build ?? []);
  if (new Set(builds.map(({ path }) => path)).size < 2) return null;
  return (
    <Section
      flush
      id="nginx-builds"
      title={t`nginx builds`}
      note={t`The nginx that each arm ran, and the beginning of its file's SHA-256.`}
    >
      {isOneFile(builds) && (
        <Text size="sm" px="md" pb="sm">
          <Trans>
            Some of these files have the same checksum: they are one and the same build, which makes no
            difference between their arms.
          </Trans>
        </Text>
      )}
      <WideTable minWidth={560}>
        <Table verticalSpacing={4}>
          <HeadRow columns={[t`Arm`, t`Build`, t`File`, t`Checksum`]} />
          <Table.Tbody>
            {arms.map(({ key, label, nginx_build: build }) => (
              <Table.Tr key={key}>
                <Table.Td>
                  <ArmMark index={armIndex(report.arms, key)} label={label} />
                </Table.Td>
                <Table.Td>{build?.version ?? t`unknown`}</Table.Td>
                <Table.Td>{build && <code>{build.path}</code>}</Table.Td>
                <Table.Td>{build && <code>{build.sha256.slice(0, 12)}</code>}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Section>
  );
}
