import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTheme } from '@mui/material/styles';
import { useFormerColour, useSeriesColours } from './colours.ts';

/** One bar: its parts from the bottom up, one for each series. */
export interface Bar {
  readonly name: string;
  readonly parts: readonly number[];
  readonly text: string;
}

/** The same number of bars of the period before, for comparison. */
export interface FormerBars {
  /** Its name in the legend. */
  readonly name: string;
  /** Its sum as text. */
  readonly total: string;
  readonly bars: readonly Bar[];
}

interface StackedBarsProps {
  /** The accessible description of the chart. */
  readonly label: string;
  readonly series: readonly string[];
  readonly bars: readonly Bar[];
  readonly former?: FormerBars | undefined;
  /** The highest bar as text. */
  readonly most: string;
  /** The length of a bar as text, for the lines of the axis; without it there is no axis. */
  readonly axis?: (length: number) => string;
}

/** The lines of the axis, as parts of the highest bar, from the top. */
const LINES = [1, 0.5, 0] as const;

const [WIDTH, GAP, HEIGHT] = [10, 2, 100] as const;
/** The part of a bar's width that the paler bar beside it takes. */
const FORMER_WIDTH = 3;
const lengthOf = ({ parts }: Bar): number => parts.reduce((sum, part) => sum + part, 0);
const HEIGHT_OF_CHART = '11rem';

/** Vertical bars, each made of parts. Lengths are relative; the figures are in the table beneath. */
export function StackedBars({ label, series, bars, former, most, axis }: StackedBarsProps) {
  const colours = useSeriesColours();
  const pale = useFormerColour();
  // A period without anything has no bars to explain.
  const before = former?.bars.some((bar) => lengthOf(bar) > 0) === true ? former.bars : [];
  const start = before.length === 0 ? GAP / 2 : GAP / 2 + FORMER_WIDTH;
  const totals = [...bars, ...before].map(lengthOf);
  const highest = Math.max(...totals, Number.MIN_VALUE);
  return (
    <>
      <Legend
        of={[
          ...series.map((name, index) => ({ name, colour: colours[index] ?? colours.at(-1) })),
          ...(former === undefined || before.length === 0 ? [] : [{ name: former.name, colour: pale }]),
        ]}
      />
      <Typography component="div" variant="body2" color="textSecondary">
        {most}
      </Typography>
      {former === undefined ? null : (
        <Typography component="div" variant="body2" color="textSecondary">
          {former.total}
        </Typography>
      )}
      <Box sx={{ display: 'flex', gap: 1, mt: 1 }}>
        {axis === undefined || Math.max(...totals) === 0 ? null : (
          <Axis texts={LINES.map((part) => axis(part * highest))} />
        )}
        <Box
          component="svg"
          role="img"
          aria-label={former === undefined ? label : `${label} ${former.total}`}
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
              <title>{before[index] === undefined ? text : `${text}\n${before[index].text}`}</title>
              {/* The tooltip reacts to the whole height. */}
              <rect x={index * WIDTH} y={0} width={WIDTH} height={HEIGHT} fill="transparent" />
              {before[index] === undefined ? null : (
                <Length
                  x={index * WIDTH + GAP / 2}
                  width={FORMER_WIDTH}
                  part={lengthOf(before[index]) / highest}
                  fill={pale}
                />
              )}
              {parts.map((part, at) => {
                const below = parts.slice(0, at).reduce((sum, each) => sum + each, 0);
                const height = (part / highest) * HEIGHT;
                return (
                  <rect
                    key={series[at]}
                    x={index * WIDTH + start}
                    y={HEIGHT - (below / highest) * HEIGHT - height}
                    width={WIDTH - GAP / 2 - start}
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

interface LengthProps {
  readonly x: number;
  readonly width: number;
  /** Of the height of the chart. */
  readonly part: number;
  readonly fill: string;
}

const Length = ({ part, ...rect }: LengthProps) => <rect {...rect} y={HEIGHT - part * HEIGHT} height={part * HEIGHT} />;

interface LegendProps {
  readonly of: readonly { readonly name: string; readonly colour: string | undefined }[];
}

function Legend({ of }: LegendProps) {
  return (
    <Box
      component="ul"
      sx={{ listStyle: 'none', m: 0, mb: 1, p: 0, display: 'flex', flexWrap: 'wrap', columnGap: 2, rowGap: 0.5 }}
    >
      {of.map(({ name, colour }) => (
        <Box component="li" key={name} sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
          <Box component="span" aria-hidden sx={{ width: 12, height: 12, borderRadius: 0.5, bgcolor: colour }} />
          <Typography component="span" variant="body2">
            {name}
          </Typography>
        </Box>
      ))}
    </Box>
  );
}
