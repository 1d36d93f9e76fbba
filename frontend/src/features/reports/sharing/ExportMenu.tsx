import { Button, Menu, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReportRun } from '@/api/generated';
import { type ReportSource, useReportSource } from '@/api/sharing/access';
import { EXPORTS, exportAddress } from './exports';

function Item({ source, name }: { source: ReportSource; name: (typeof EXPORTS)[number] }) {
  return (
    <Menu.Item component="a" href={exportAddress(source, name.file)} download>
      <Text size="sm">{name.title}</Text>
      <Text size="xs" c="var(--text-dim)">
        {name.about}
      </Text>
    </Menu.Item>
  );
}

/** Forms that are made of raw data and nothing else. */
const RAW: readonly string[] = ['run.zip', 'histograms.hlog'];

/** The run as a file, in several forms. */
export function ExportMenu({ run }: { run: Pick<ReportRun, 'id' | 'finished_at' | 'raw_removed'> }) {
  const source = useReportSource(run.id);
  if (source === null) return null;
  const offered = EXPORTS.filter(
    ({ file }) =>
      (file !== 'run.zip' || ('runId' in source && run.finished_at !== null)) &&
      !(run.raw_removed && RAW.includes(file)),
  );
  return (
    <Menu position="bottom-end" width={300} withinPortal>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map((name) => (
          <Item key={name.file} source={source} name={name} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
