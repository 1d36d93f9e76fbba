import { t } from '@lingui/core/macro';
import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

/** The colours that a framed chart is asked for by its address: those of the page around it. */
export function framedScheme({ pathname, search }: Pick<Location, 'pathname' | 'search'>) {
  if (!/^\/shared\/[^/]+\/charts\//.test(pathname)) return undefined;
  const asked = new URLSearchParams(search).get('scheme');
  return asked === 'light' || asked === 'dark' ? asked : undefined;
}

/** Near-black on light, near-white on dark: the interface stays out of the way of the data's colours. */
const ink: MantineColorsTuple = [
  '#f4f5f6',
  '#e7e8ea',
  '#d0d3d7',
  '#b0b4ba',
  '#8b9098',
  '#6a6f78',
  '#50555d',
  '#393d43',
  '#24272b',
  '#17191c',
];

const dark: MantineColorsTuple = [
  '#eceef0',
  '#c6cad0',
  '#989da6',
  '#6b7078',
  '#383b41',
  '#26282c',
  '#1c1d20',
  '#151618',
  '#101113',
  '#0b0c0d',
];

/** What the reader's system speaks: no font is shipped. */
const SANS =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

const FILLED_SHADE = 8;
const ON_PRIMARY = 'light-dark(#fff, #17191c)';

const closeButton = () => ({ closeButtonProps: { 'aria-label': t`Close` } });

/** The primary colour changes sides between light and dark, so its text must, too. Other colours do not change:
 * white text on the palest red could not be read. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const color = input.color ?? input.theme.primaryColor;
  if (input.variant !== 'filled') return defaultVariantColorsResolver(input);
  if (color === 'ink') return { ...defaultVariantColorsResolver(input), color: ON_PRIMARY };
  const shaded = color in input.theme.colors ? `${color}.${FILLED_SHADE}` : color;
  return defaultVariantColorsResolver({ ...input, color: shaded });
};

export const theme = createTheme({
  variantColorResolver,
  colors: { ink, dark },
  primaryColor: 'ink',
  primaryShade: { light: FILLED_SHADE, dark: 1 },
  autoContrast: true,
  respectReducedMotion: true,
  fontFamily: SANS,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  defaultRadius: 'sm',
  headings: {
    fontFamily: SANS,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '1.3' },
      h2: { fontSize: '15px', lineHeight: '1.4' },
      h3: { fontSize: '13px', lineHeight: '1.4' },
    },
  },
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'sm' } },
    Button: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { iconColor: ON_PRIMARY } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', checkIconPosition: 'right' } },
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Table: {
      defaultProps: { verticalSpacing: 8, horizontalSpacing: 16, fz: 'sm', borderColor: 'var(--line)' },
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250, multiline: true, maw: 320, fz: 'xs' } },
    Modal: {
      defaultProps: () => ({ centered: true, ...closeButton() }),
      styles: { title: { fontWeight: 600 } },
    },
    // What is focused first is an item, and nothing but items may be in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Drawer: { defaultProps: closeButton },
    Notification: { defaultProps: closeButton },
    Alert: {
      defaultProps: () => ({ closeButtonLabel: t`Close` }),
      // A title in yellow on pale yellow could not be read; the icon has the colour, too.
      styles: { label: { color: 'var(--text)' } },
    },
    Anchor: { defaultProps: { underline: 'hover', c: 'var(--text)' } },
  },
});
