import { useTheme } from '@mui/material/styles';
import { SERIES } from '../theme.ts';

export const MOST_SERIES = SERIES.light.length;

/** The colours of the series in the present theme. */
export function useSeriesColours(): readonly string[] {
  return SERIES[useTheme().palette.mode];
}
