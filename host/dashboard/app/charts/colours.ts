import { useTheme } from '@mui/material/styles';

/** Colours of series; each has a contrast of at least 3:1 to the card, and the last one is for the rest. */
const SERIES = {
  light: ['#0a5bab', '#b25600', '#0b6b3a', '#8e2a8b', '#a3262d', '#56626f'],
  dark: ['#7ab8f5', '#f2b866', '#72d3a0', '#d99be0', '#ff9ca0', '#a6b2bf'],
} as const;

export const MOST_SERIES = SERIES.light.length;

/** The colours of the series in the present theme. */
export function useSeriesColours(): readonly string[] {
  return SERIES[useTheme().palette.mode];
}
