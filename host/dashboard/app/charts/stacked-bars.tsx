import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useSeriesColours } from './colours.ts';

/** One bar: its parts from the bottom up, one for each series. */
export interface Bar {
  readonly name: string;
  readonly parts: readonly number[];
  readonly text: string;
}

interface StackedBarsProps {
  /** The accessible description of the chart. */
  readonly label: string;
  readonly series: readonly string[];
  readonly bars: readonly Bar[];
  /** The highest bar as text. */
  readonly most: string;
}

const [WIDTH, GAP, HEIGHT] = [10, 2, 100] as const;

/** Vertical bars, each made of parts. Lengths are relative; the figures are in the table beneath. */
export function StackedBars({ label, series, bars, most }: StackedBarsProps) {
  const colours = useSeriesColours();
  const totals = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const highest = Math.max(...totals, Number.MIN_VALUE);
  return (
    <>
      <Legend series={series} />
      <Typography component="div" variant="body2" color="textSecondary">
        {most}
      </Typography>
      <Box
        component="svg"
        role="img"
        aria-label={label}
        viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        sx={{
          display: 'block',
          width: '100%',
          height: '11rem',
          borderBottom: 1,
          borderColor: 'divider',
          // Time runs in the direction of the reader's script.
          '[dir=rtl] &': { transform: 'scaleX(-1)' },
        }}
      >
        {bars.map(({ name, parts, text }, index) => (
          <g key={name}>
            <title>{text}</title>
            {/* The tooltip reacts to the whole height. */}
            <rect x={index * WIDTH} y={0} width={WIDTH} height={HEIGHT} fill="transparent" />
            {parts.map((part, at) => {
              const below = parts.slice(0, at).reduce((sum, each) => sum + each, 0);
              const height = (part / highest) * HEIGHT;
              return (
                <rect
                  key={series[at]}
                  x={index * WIDTH + GAP / 2}
                  y={HEIGHT - (below / highest) * HEIGHT - height}
                  width={WIDTH - GAP}
                  height={height}
                  fill={colours[at] ?? colours.at(-1)}
                />
              );
            })}
          </g>
        ))}
      </Box>
      <Typography
        component="div"
        variant="body2"
        color="textSecondary"
        sx={{ display: 'flex', justifyContent: 'space-between' }}
      >
        <span>{bars[0]?.name}</span>
        <span>{bars.at(-1)?.name}</span>
      </Typography>
    </>
  );
}

function Legend({ series }: Pick<StackedBarsProps, 'series'>) {
  const colours = useSeriesColours();
  return (
    <Box
      component="ul"
      sx={{ listStyle: 'none', m: 0, mb: 1, p: 0, display: 'flex', flexWrap: 'wrap', columnGap: 2, rowGap: 0.5 }}
    >
      {series.map((name, index) => (
        <Box component="li" key={name} sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
          <Box
            component="span"
            aria-hidden
            sx={{ width: 12, height: 12, borderRadius: 0.5, bgcolor: colours[index] ?? colours.at(-1) }}
          />
          <Typography component="span" variant="body2">
            {name}
          </Typography>
        </Box>
      ))}
    </Box>
  );
}
