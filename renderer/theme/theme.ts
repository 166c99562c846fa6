/** Applies our design tokens to Mantine. */
import { createTheme, rem } from '@mantine/core';
import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core';
import { COLOURS, FONT, MONO, SHADOWS, variablesOf } from './tokens';

/** Teal from light to dark; 6 is the light theme's ink, 3 the dark theme's. */
const kept: MantineColorsTuple = [
  '#e6f5f6',
  '#ddeff0',
  '#8bd6d9',
  COLOURS.kept[1],
  '#2ba0a6',
  '#148088',
  COLOURS.kept[0],
  '#09575f',
  '#07474d',
  '#113438',
];

export const theme = createTheme({
  primaryColor: 'kept',
  colors: { kept },
  primaryShade: { light: 6, dark: 3 },
  autoContrast: true,
  black: COLOURS['on-kept'][1],
  fontFamily: FONT,
  fontFamilyMonospace: MONO,
  fontSmoothing: true,
  fontSizes: { xs: rem(11), sm: rem(12), md: rem(13), lg: rem(17), xl: rem(22) },
  lineHeights: { xs: '1.27', sm: '1.33', md: '1.54', lg: '1.41', xl: '1.27' },
  headings: {
    fontFamily: FONT,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(22), lineHeight: '1.2727' },
      h2: { fontSize: rem(13), lineHeight: '1.5385' },
      h3: { fontSize: rem(13), lineHeight: '1.5385' },
    },
  },
  spacing: { xs: rem(4), sm: rem(8), md: rem(12), lg: rem(16), xl: rem(20) },
  radius: { xs: rem(2.5), sm: rem(4), md: rem(6), lg: rem(10), xl: rem(14) },
  defaultRadius: 'md',
  shadows: { xs: SHADOWS.shadow[0], md: SHADOWS['shadow-2'][0] },
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { variant: 'default', size: 'sm' } },
    // Three static dots (base.css): no spinner while the user waits.
    Loader: { defaultProps: { type: 'dots' } },
    SegmentedControl: { defaultProps: { transitionDuration: 120 } },
    Tooltip: {
      defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } },
    },
    Modal: {
      defaultProps: {
        centered: true,
        transitionProps: { duration: 120 },
        radius: 'lg',
        overlayProps: { backgroundOpacity: 0.35 },
      },
    },
    Select: { defaultProps: { allowDeselect: false, size: 'sm', comboboxProps: { shadow: 'md' } } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    TagsInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Switch: { defaultProps: { size: 'sm', withThumbIndicator: false } },
    RadioIndicator: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end' } },
  },
});

const scheme = (index: 0 | 1): Record<string, string> => ({
  ...variablesOf(index),
  '--mantine-color-body': 'var(--hf-canvas)',
  '--mantine-color-text': 'var(--hf-text)',
  '--mantine-color-dimmed': 'var(--hf-text-3)',
  '--mantine-color-placeholder': 'var(--hf-text-3)',
  '--mantine-color-default': 'var(--hf-surface)',
  '--mantine-color-default-hover': 'var(--hf-hover)',
  '--mantine-color-default-color': 'var(--hf-text)',
  '--mantine-color-default-border': 'var(--hf-line-2)',
  '--mantine-color-anchor': 'var(--hf-kept)',
  '--mantine-color-error': 'var(--hf-outage)',
  '--mantine-color-disabled': 'var(--hf-sunken)',
  '--mantine-color-disabled-color': 'var(--hf-text-3)',
  '--mantine-color-disabled-border': 'var(--hf-line)',
  '--mantine-primary-color-contrast': 'var(--hf-on-kept)',
  '--mantine-shadow-xs': 'var(--hf-shadow)',
  '--mantine-shadow-md': 'var(--hf-shadow-2)',
});

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: scheme(0),
  dark: scheme(1),
});
