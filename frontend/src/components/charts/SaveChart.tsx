import { t } from '@lingui/core/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { download, slug } from '@/lib/download';
import { asPng, chartSvg } from './svgFile';

const fileName = (title: string, ending: string) => `${slug(title) || 'chart'}.${ending}`;

/** Keep the chart around this button as a picture. */
export function SaveChart({ title }: { title: string }) {
  const button = useRef<HTMLButtonElement>(null);
  // A page has many charts: each gets its menu when somebody asks for it.
  const [isWanted, want] = useState(false);
  const svg = () => {
    const figure = button.current?.closest('figure');
    return figure ? chartSvg(figure, title) : null;
  };
  const saveSvg = () => {
    const text = svg();
    if (text) download(new Blob([text], { type: 'image/svg+xml' }), fileName(title, 'svg'));
  };
  const savePng = async () => {
    const text = svg();
    if (text) download(await asPng(text), fileName(title, 'png'));
  };
  const icon = (
    <ActionIcon
      ref={button}
      className="no-print"
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={t`Save the chart ${title}`}
      onClick={() => want(true)}
    >
      <IconDownload size={14} />
    </ActionIcon>
  );
  if (!isWanted) return icon;
  return (
    <Menu position="bottom-end" withinPortal defaultOpened>
      <Menu.Target>{icon}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void savePng()}>PNG</Menu.Item>
        <Menu.Item onClick={saveSvg}>SVG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
