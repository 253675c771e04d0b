import { createTheme, type CSSVariablesResolver, DEFAULT_THEME, type MantineColorsTuple } from '@mantine/core';

const iris: MantineColorsTuple = ['#eef0ff', '#dde0fc', '#b9bff4', '#949ded', '#7a85e8', '#5c69e2', '#4e5bd8', '#424fc8', '#3a47b4', '#2f3ca0'];
const dark: MantineColorsTuple = ['#e4e6ea', '#c3c7cd', '#a0a7b2', '#737b87', '#343a44', '#292e37', '#1d2128', '#13161b', '#0e1014', '#090b0e'];

export const theme = createTheme({
  colors: { iris, dark },
  primaryColor: 'iris',
  primaryShade: { light: 7, dark: 5 },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '10px', xl: '16px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '22px', lineHeight: '1.3' }, h2: { fontSize: '16px', lineHeight: '1.4' }, h3: { fontSize: '14px', lineHeight: '1.4' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Text: { defaultProps: { size: 'sm' } },
    Button: { defaultProps: { size: 'sm' } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Paper: { defaultProps: { withBorder: true } },
    // A badge says one thing, and never half of it.
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 }, styles: { root: { minWidth: 'max-content' } } },
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'sm' } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, withArrow: true, multiline: true, maw: 320 } },
    // Its header would be a second banner of the page.
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.5 }, attributes: { header: { role: 'presentation' } } } },
  },
});

/** Mantine's own colours of text on a tint, and of secondary text, miss the contrast of WCAG AA; these have it. */
export const contrasts: CSSVariablesResolver = ({ colors }) => {
  const tints = (shadeOf: (shades: MantineColorsTuple, name: string) => string, tint: number) =>
    Object.fromEntries(
      Object.entries({ ...DEFAULT_THEME.colors, ...colors }).flatMap(([name, shades]) => {
        const color = shadeOf(shades as MantineColorsTuple, name);
        return [
          ...['light-color', 'text', 'outline'].map((use) => [`--mantine-color-${name}-${use}`, color]),
          [`--mantine-color-${name}-light`, `color-mix(in srgb, ${shades![5]} ${tint}%, transparent)`],
          [`--mantine-color-${name}-light-hover`, `color-mix(in srgb, ${shades![5]} ${tint + 8}%, transparent)`],
        ];
      }),
    );
  return {
    variables: {},
    light: {
      // The yellows and greens of the palette stay too pale down to their last shade.
      ...tints(
        (shades, name) => ({ yellow: '#7a4d00', orange: '#a33b00', green: '#1d6b2e', teal: '#086b4f', lime: '#4c6600', gray: '#495057' })[name] ?? shades[9],
        13,
      ),
      '--mantine-color-dimmed': '#5b636d',
      '--mantine-color-placeholder': '#6b7280',
      '--mantine-color-error': '#c11f1f',
      '--mantine-color-anchor': iris[7],
      '--surface': '#fafbfc',
    },
    dark: {
      ...tints((shades, name) => (name === 'dark' ? dark[1] : shades[3]), 18),
      '--mantine-color-text': dark[0],
      '--mantine-color-dimmed': dark[2],
      '--mantine-color-placeholder': '#868e9a',
      '--mantine-color-error': '#ff8787',
      '--mantine-color-anchor': iris[2],
      '--surface': '#171a20',
    },
  };
};
