import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTheme } from '@mui/material/styles';
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
  /** The length of a bar as text, for the lines of the axis; without it there is no axis. */
  readonly axis?: (length: number) => string;
}

/** The lines of the axis, as parts of the highest bar, from the top. */
const LINES = [1, 0.5, 0] as const;

const [WIDTH, GAP, HEIGHT] = [10, 2, 100] as const;
const HEIGHT_OF_CHART = '11rem';

/** Vertical bars, each made of parts. Lengths are relative; the figures are in the table beneath. */
export function StackedBars({ label, series, bars, most, axis }: StackedBarsProps) {
  const colours = useSeriesColours();
  const totals = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const highest = Math.max(...totals, Number.MIN_VALUE);
  return (
    <>
      <Legend series={series} />
      <Typography component="div" variant="body2" color="textSecondary">
        {most}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, mt: 1 }}>
        {axis === undefined || Math.max(...totals) === 0 ? null : (
          <Axis texts={LINES.map((part) => axis(part * highest))} />
        )}
        <Box
          component="svg"
          role="img"
          aria-label={label}
          viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          sx={{
            display: 'block',
            flex: 1,
            minWidth: 0,
            height: HEIGHT_OF_CHART,
            borderBottom: 1,
            borderColor: 'divider',
            // Time runs in the direction of the reader's script.
            '[dir=rtl] &': { transform: 'scaleX(-1)' },
          }}
        >
          <Gridlines width={bars.length * WIDTH} />
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

/** The texts of the lines, beside the chart. */
function Axis({ texts }: { readonly texts: readonly string[] }) {
  return (
    <Typography
      component="div"
      variant="body2"
      color="textSecondary"
      aria-hidden
      sx={{
        height: HEIGHT_OF_CHART,
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'space-between',
        textAlign: 'end',
        lineHeight: 1,
        fontVariantNumeric: 'tabular-nums',
        whiteSpace: 'nowrap',
      }}
    >
      {texts.map((text, index) => (
        <span key={LINES[index]}>{text}</span>
      ))}
    </Typography>
  );
}

function Gridlines({ width }: { readonly width: number }) {
  const { divider } = useTheme().palette;
  return (
    <>
      {LINES.map((part) => (
        <line
          key={part}
          x1={0}
          x2={width}
          y1={HEIGHT * (1 - part)}
          y2={HEIGHT * (1 - part)}
          stroke={divider}
          vectorEffect="non-scaling-stroke"
        />
      ))}
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
