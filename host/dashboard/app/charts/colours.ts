import { useTheme } from '@mui/material/styles';
import { FORMER, SERIES } from '../theme.ts';

export const MOST_SERIES = SERIES.light.length;

/** The colours of the series in the present theme. */
export function useSeriesColours(): readonly string[] {
  return SERIES[useTheme().palette.mode];
}

/** The colour of a former period in the present theme: paler than every series. */
export const useFormerColour = (): string => FORMER[useTheme().palette.mode];
