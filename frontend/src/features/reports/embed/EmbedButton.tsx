import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCode } from '@tabler/icons-react';
import { useState } from 'react';
import { IN_A_FILE, useShareToken } from '@/api/shareToken';
import { CopyField } from '@/components/ui/CopyField';
import { type ChartPlace, chartAddress, chartHtml, LATENCY, type Scheme } from './snippet';

const schemes = () => [
  { value: 'auto', label: t`As the reader has it` },
  { value: 'light', label: t({ message: 'Light', context: 'colour scheme' }) },
  { value: 'dark', label: t({ message: 'Dark', context: 'colour scheme' }) },
];

interface Props {
  title: string;
  place: ChartPlace;
}

function EmbedDialog({ title, place, token }: Props & { token: string }) {
  const [scheme, setScheme] = useState<Scheme>('auto');
  const address = chartAddress(window.location.origin, token, place, scheme);
  return (
    <Stack gap="md">
      <Text size="sm">
        <Trans>
          This HTML shows the chart in another page, with a link to this report. It works as long as this link
          does, and whoever reads that page can open the report.
        </Trans>
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={t`Colours`}
        data={schemes()}
        value={scheme}
        onChange={(value) => setScheme(value as Scheme)}
      />
      <CopyField value={chartHtml(address, title, place.key === LATENCY ? 380 : undefined)} label="HTML" />
    </Stack>
  );
}

/** Offers a chart to other pages, where the report is read by its link: the token is known nowhere else. */
export function EmbedButton({ title, place }: Props) {
  const token = useShareToken();
  const [isOpen, { open, close }] = useDisclosure(false);
  if (token === null || token === IN_A_FILE) return null;
  return (
    <>
      <ActionIcon
        className="no-print"
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={t`Embed the chart ${title}`}
        onClick={open}
      >
        <IconCode size={14} />
      </ActionIcon>
      <Modal opened={isOpen} onClose={close} title={t`Embed this chart`} size="lg">
        <EmbedDialog title={title} place={place} token={token} />
      </Modal>
    </>
  );
}
