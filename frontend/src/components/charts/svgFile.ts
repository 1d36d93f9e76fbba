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

/** A chart as it is drawn now, as an SVG file of its own. */
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

/** The same as a picture. */
export async function asPng(svg: string): Promise<Blob> {
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
