import { defaultDarkTheme, defaultLightTheme } from 'react-admin';
import type { RaThemeOptions } from 'react-admin';
import type { ThemeOptions } from '@mui/material/styles';
import type { Direction } from './i18n.ts';

/** The colours of one theme: those of the payer's page, and the orange of the sandbox. */
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
  readonly sandbox: string;
  readonly onSandbox: string;
  /** The series of charts; each has a contrast of at least 3:1 to the card, and the last one is for the rest. */
  readonly series: readonly string[];
}

const LIGHT = {
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
  sandbox: '#f59e0b',
  onSandbox: '#231700',
  series: ['#0a5bab', '#b25600', '#0b6b3a', '#8e2a8b', '#a3262d', '#56626f'],
} as const satisfies Colours;
const DARK = {
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
  sandbox: '#f2a93b',
  onSandbox: '#231700',
  series: ['#7ab8f5', '#f2b866', '#72d3a0', '#d99be0', '#ff9ca0', '#a6b2bf'],
} as const satisfies Colours;

/** The bars of a former period. */
export const FORMER = { light: '#c3cbd6', dark: '#47525f' } as const;
export const SERIES = { light: LIGHT.series, dark: DARK.series } as const;

/** System fonts: nothing is loaded. */
const FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
export const MONOSPACE = "ui-monospace, 'SF Mono', Menlo, Consolas, monospace";

/** Sizes of text, in the root's unit, so that they follow the reader's own size. */
export const TYPE = {
  page: '1.5rem',
  section: '1.125rem',
  part: '1.25rem',
  /** The number of a tile. */
  figure: '1.5rem',
  small: '0.8125rem',
} as const;

/** Widths and heights. MUI's unit of space is 8 pixels. */
export const SPACE = {
  /** The widest that the content of a page becomes. */
  page: '100rem',
  /** The strip of the sandbox in the header. */
  strip: '1.75rem',
  /** The narrowest that a tile becomes. */
  tile: '9rem',
  corner: 10,
} as const;

declare module '@mui/material/styles' {
  interface Palette {
    readonly sandbox: { readonly main: string; readonly contrastText: string };
  }
  interface PaletteOptions {
    readonly sandbox?: { readonly main: string; readonly contrastText: string };
  }
}

function theme({ palette, components, ...base }: ThemeOptions, colours: Colours, direction: Direction): RaThemeOptions {
  const { ink, soft, paper, card, line, mark, onMark, good, warn, bad, sandbox, onSandbox } = colours;
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
      sandbox: { main: sandbox, contrastText: onSandbox },
    },
    shape: { borderRadius: SPACE.corner },
    typography: {
      fontFamily: FONTS,
      h1: { fontSize: TYPE.page, fontWeight: 600 },
      h2: { fontSize: TYPE.section, fontWeight: 600 },
      h5: { fontSize: TYPE.part, fontWeight: 600 },
      h6: { fontSize: TYPE.section, fontWeight: 600 },
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
      MuiFormHelperText: { styleOverrides: { root: { fontSize: TYPE.small } } },
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
      // Its buttons look as those of the dialogs with a form.
      RaConfirm: {
        styleOverrides: {
          root: {
            '& .MuiButton-startIcon': { display: 'none' },
            '& .ra-confirm': { padding: '6px 16px', color: onMark, backgroundColor: mark },
            '& .ra-confirm:hover': { backgroundColor: mark, filter: 'brightness(0.9)' },
            '& .ra-confirm.RaConfirm-confirmWarning, & .ra-confirm.RaConfirm-confirmWarning:hover': {
              color: onMark,
              backgroundColor: bad,
            },
          },
        },
      },
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
      // Below the header: at the end of the window it would cover the button that saves.
      RaNotification: { defaultProps: { anchorOrigin: { vertical: 'top', horizontal: 'center' } } },
      MuiSnackbar: { styleOverrides: { anchorOriginTopCenter: { '&&': { top: '5.5rem' } } } },
      // On a narrow screen it would cover the end of a long form.
      RaToolbar: {
        styleOverrides: {
          root: { backgroundColor: 'transparent', '&.RaToolbar-mobileToolbar': { backgroundColor: card } },
        },
      },
      // The records of a narrow screen are cards, which need no frame around them all.
      RaListToolbar: { styleOverrides: { root: { '&&, && .MuiToolbar-root': { backgroundColor: 'transparent' } } } },
      RaList: {
        styleOverrides: {
          root: {
            '@media (max-width: 899.95px)': {
              '& .RaList-content': { backgroundColor: 'transparent', border: 0 },
              '& .RaList-actions': { padding: '8px 0' },
            },
          },
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
