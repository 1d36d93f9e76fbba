import { t } from '@lingui/core/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { download, slug } from '@/lib/download';

const SVG = 'http://www.w3.org/2000/svg';
const HEAD = 28;
/** The pixels of a PNG for each pixel of the page: sharp on paper and on dense screens. */
const SCALE = 2;

/** Properties of a shape that come from the page's style sheets; a file must have them at the shape itself. */
const DECIDED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
];

function withStyles(shown: Element, copy: Element): void {
  const style = getComputedStyle(shown);
  for (const name of DECIDED) {
    const value = style.getPropertyValue(name);
    if (value) copy.setAttribute(name, value);
  }
  copy.removeAttribute('class');
  copy.removeAttribute('style');
  Array.from(shown.children).forEach((child, index) => {
    const twin = copy.children[index];
    if (twin) withStyles(child, twin);
  });
}

function heading(text: string, figure: Element): Element {
  const style = getComputedStyle(figure);
  const title = document.createElementNS(SVG, 'text');
  const facts = { x: 8, y: 18, fill: style.color, 'font-family': style.fontFamily, 'font-size': '13px' };
  for (const [name, value] of Object.entries(facts)) title.setAttribute(name, String(value));
  title.textContent = text;
  return title;
}

export function chartSvg(figure: Element, title: string): string | null {
  const drawn = figure.querySelector<SVGSVGElement>('svg.recharts-surface');
  if (!drawn) return null;
  const { width, height } = drawn.getBoundingClientRect();
  const plot = drawn.cloneNode(true) as SVGSVGElement;
  withStyles(drawn, plot);
  plot.setAttribute('y', String(HEAD));
  plot.setAttribute('width', String(width));
  plot.setAttribute('height', String(height));
  const file = document.createElementNS(SVG, 'svg');
  file.setAttribute('width', String(width));
  file.setAttribute('height', String(height + HEAD));
  const ground = document.createElementNS(SVG, 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', getComputedStyle(figure).backgroundColor || 'white');
  file.append(ground, heading(title, figure), plot);
  return new XMLSerializer().serializeToString(file);
}

async function asPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * SCALE;
  canvas.height = image.height * SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no picture.')))),
  );
}

const fileName = (title: string, ending: string) => `${slug(title) || 'chart'}.${ending}`;

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
      aria-label={t`Save the chart ${title}`}
      onClick={() => want(true)}
    >
      <IconDownload size={14} />
    </ActionIcon>
  );
  if (!isWanted) return icon;
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>{icon}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void savePng()}>PNG</Menu.Item>
        <Menu.Item onClick={saveSvg}>SVG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
