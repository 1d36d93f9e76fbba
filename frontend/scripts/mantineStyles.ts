import type { Plugin } from 'vite';

/** The modules in which Mantine keeps the names of a component's classes: one for each of its style sheets. */
const CLASS_NAMES = /@mantine\/(core|notifications|spotlight)\/esm\/(?:.*\/)?(\w+)\.module\.mjs$/;
const ALL = [
  '@mantine/core/styles.layer.css',
  '@mantine/notifications/styles.layer.css',
  '@mantine/spotlight/styles.layer.css',
];

function sheetsFor(id: string, isServing: boolean): string[] {
  // The server of `npm run dev` packs Mantine into one module, past all plugins.
  if (isServing) return id.endsWith('/src/app/styles.ts') ? ALL : [];
  const [, part, component] = CLASS_NAMES.exec(id) ?? [];
  if (!part) return [];
  return [
    part === 'core' ? `@mantine/core/styles/${component}.layer.css` : `@mantine/${part}/styles.layer.css`,
  ];
}

/**
 * Each component of Mantine brings its own style sheet, in the chunk that holds the component: a page loads the
 * styles of what it shows. They are in the cascade layer `mantine` (`src/app/layers.css`), so that the pages' own
 * styles win whichever of the two arrives first.
 */
export function mantineStyles(): Plugin {
  let isServing = false;
  return {
    name: 'mantine-styles',
    configResolved({ command }) {
      isServing = command === 'serve';
    },
    transform(code, id) {
      const sheets = sheetsFor(id, isServing).map((sheet) => `import '${sheet}';\n`);
      return sheets.length > 0 ? { code: sheets.join('') + code, map: null } : null;
    },
  };
}
