import { defaultDarkTheme, defaultLightTheme } from 'react-admin';
import type { RaThemeOptions } from 'react-admin';
import type { ThemeOptions } from '@mui/material/styles';
import type { Direction } from './i18n.ts';

/** The colours of the payer's page. */
interface Colours {
  readonly ink: string;
  readonly soft: string;
  readonly paper: string;
  readonly card: string;
  readonly line: string;
  readonly mark: string;
  readonly onMark: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
}

const LIGHT: Colours = {
  ink: '#16202c',
  soft: '#56626f',
  paper: '#f2f4f7',
  card: '#ffffff',
  line: '#d5dbe2',
  mark: '#0a5bab',
  onMark: '#ffffff',
  good: '#0b6b3a',
  warn: '#8a4b00',
  bad: '#a3262d',
};
const DARK: Colours = {
  ink: '#edf1f5',
  soft: '#a6b2bf',
  paper: '#0e1319',
  card: '#181f28',
  line: '#313c48',
  mark: '#7ab8f5',
  onMark: '#08131f',
  good: '#72d3a0',
  warn: '#f2b866',
  bad: '#ff9ca0',
};

/** System fonts: nothing is loaded. */
const FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
export const MONOSPACE = "ui-monospace, 'SF Mono', Menlo, Consolas, monospace";

function theme({ palette, components, ...base }: ThemeOptions, colours: Colours, direction: Direction): RaThemeOptions {
  const { ink, soft, paper, card, line, mark, onMark, good, warn, bad } = colours;
  return {
    ...base,
    direction,
    palette: {
      ...palette,
      primary: { main: mark, contrastText: onMark },
      secondary: { main: mark, contrastText: onMark },
      success: { main: good, contrastText: onMark },
      warning: { main: warn, contrastText: onMark },
      error: { main: bad, contrastText: onMark },
      info: { main: mark, contrastText: onMark },
      background: { default: paper, paper: card },
      text: { primary: ink, secondary: soft },
      divider: line,
    },
    shape: { borderRadius: 10 },
    typography: {
      fontFamily: FONTS,
      h1: { fontSize: '1.5rem', fontWeight: 600 },
      h2: { fontSize: '1.125rem', fontWeight: 600 },
      h5: { fontSize: '1.25rem', fontWeight: 600 },
      h6: { fontSize: '1.125rem', fontWeight: 600 },
      button: { textTransform: 'none', fontWeight: 600 },
    },
    components: {
      ...components,
      MuiAppBar: {
        styleOverrides: {
          root: {
            backgroundColor: card,
            color: ink,
            boxShadow: 'none',
            borderBottom: `1px solid ${line}`,
            backgroundImage: 'none',
          },
        },
      },
      // Keyboard users must see the focus.
      MuiButtonBase: {
        styleOverrides: { root: { '&.Mui-focusVisible': { outline: `2px solid ${mark}`, outlineOffset: -2 } } },
      },
      MuiLink: {
        styleOverrides: { root: { '&:focus-visible': { outline: `2px solid ${mark}`, outlineOffset: 2 } } },
      },
      // A text beside it announces the loading.
      MuiCircularProgress: { defaultProps: { 'aria-hidden': true } },
      MuiPaper: {
        styleOverrides: {
          root: { backgroundImage: 'none' },
          elevation1: { boxShadow: 'none', border: `1px solid ${line}` },
        },
      },
      MuiFormHelperText: { styleOverrides: { root: { fontSize: '0.8125rem' } } },
      // Words are longer in other languages, so buttons wrap where they do not fit.
      RaTopToolbar: {
        styleOverrides: { root: { flexWrap: 'wrap', rowGap: 8, minWidth: 0, backgroundColor: 'transparent' } },
      },
      // On a narrow screen the heading fits only if the language's name is visible to screen readers alone.
      RaLocalesMenuButton: {
        styleOverrides: {
          root: {
            '@media (max-width: 599.95px)': {
              '.RaAppBar-toolbar & .MuiButton-root': { minWidth: 40, fontSize: 0 },
              '.RaAppBar-toolbar & .MuiButton-startIcon': { margin: 0 },
              '.RaAppBar-toolbar & .MuiButton-endIcon': { display: 'none' },
            },
          },
        },
      },
      RaNotFound: { styleOverrides: { root: { '& .RaNotFound-message': { opacity: 1, fontFamily: FONTS } } } },
      RaLayout: { styleOverrides: { root: { minWidth: 0, '& .RaLayout-content': { minWidth: 0 } } } },
      RaMenuItemLink: {
        styleOverrides: {
          root: {
            color: soft,
            borderRadius: 8,
            margin: '0 8px',
            '&.RaMenuItemLink-active': { color: mark, fontWeight: 600 },
            '& .MuiTypography-root': { whiteSpace: 'normal' },
          },
        },
      },
      // On a narrow screen it would cover the end of a long form.
      RaToolbar: {
        styleOverrides: {
          root: { backgroundColor: 'transparent', '&.RaToolbar-mobileToolbar': { backgroundColor: card } },
        },
      },
      RaDatagrid: { styleOverrides: { root: { '& .RaDatagrid-headerCell': { color: soft, fontWeight: 600 } } } },
    },
  };
}

const inDirection = (direction: Direction) => ({
  light: theme(defaultLightTheme, LIGHT, direction),
  dark: theme(defaultDarkTheme, DARK, direction),
});

export const THEMES = { ltr: inDirection('ltr'), rtl: inDirection('rtl') } as const;
