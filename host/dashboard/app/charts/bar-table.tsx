import Box from '@mui/material/Box';
import { useSeriesColours } from './colours.ts';

/** A row: its name, its figures as text, and the parts of its bar. */
export interface BarRow {
  readonly name: string;
  readonly cells: readonly string[];
  /** Parts of the bar in the colours of the series, relative to the longest row. */
  readonly parts: readonly number[];
}

interface BarTableProps {
  readonly label: string;
  /** The headings of the names and of each figure. */
  readonly heads: readonly string[];
  readonly rows: readonly BarRow[];
}

const CELL = {
  textAlign: 'start',
  fontWeight: 'normal',
  py: 0.5,
  paddingInlineEnd: 1.5,
  verticalAlign: 'middle',
} as const;

/** A table that draws a horizontal bar beside each row's figures. */
export function BarTable({ label, heads, rows }: BarTableProps) {
  const longest = Math.max(...rows.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0)), Number.MIN_VALUE);
  return (
    <Box component="table" aria-label={label} sx={{ width: '100%', borderCollapse: 'collapse' }}>
      <thead>
        <tr>
          {heads.map((head, index) => (
            <Box
              component="th"
              scope="col"
              key={head}
              sx={{
                ...CELL,
                color: 'text.secondary',
                fontSize: '0.875rem',
                ...(index > 0 ? { textAlign: 'end' } : {}),
              }}
            >
              {head}
            </Box>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, cells, parts }) => (
          <tr key={name}>
            <Box
              component="th"
              scope="row"
              sx={{ ...CELL, overflowWrap: 'anywhere', minWidth: { xs: '5rem', sm: '9rem' } }}
            >
              {name}
            </Box>
            {cells.map((cell, index) => (
              <Box
                component="td"
                key={heads[index + 1]}
                sx={{ ...CELL, textAlign: 'end', fontVariantNumeric: 'tabular-nums' }}
              >
                {cell}
              </Box>
            ))}
            <Box component="td" sx={{ width: { xs: '30%', sm: '50%' }, py: 0.5 }}>
              <RowBar parts={parts} longest={longest} />
            </Box>
          </tr>
        ))}
      </tbody>
    </Box>
  );
}

function RowBar({ parts, longest }: Pick<BarRow, 'parts'> & { readonly longest: number }) {
  const colours = useSeriesColours();
  return (
    <Box
      component="svg"
      aria-hidden
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      sx={{ display: 'block', width: '100%', height: '1rem', '[dir=rtl] &': { transform: 'scaleX(-1)' } }}
    >
      {parts.map((part, index) => {
        const before = parts.slice(0, index).reduce((sum, each) => sum + each, 0);
        return (
          <rect
            key={index}
            x={(before / longest) * 100}
            y={0}
            width={(part / longest) * 100}
            height={10}
            fill={colours[index] ?? colours.at(-1)}
          />
        );
      })}
    </Box>
  );
}
