import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';

export interface FigureTableProps {
  readonly label: string;
  readonly heads: readonly string[];
  /** Rows of texts; the first text names its row. */
  readonly rows: readonly (readonly string[])[];
}

/** The figures of a chart, exactly as in the API. */
export function FigureTable({ label, heads, rows }: FigureTableProps) {
  return (
    // A table wider than the screen scrolls in its own container, by keyboard too.
    <TableContainer role="region" aria-label={label} tabIndex={0} sx={{ maxHeight: '24rem', mt: 1 }}>
      <Table size="small" stickyHeader aria-label={label}>
        <TableHead>
          <TableRow>
            {heads.map((head, index) => (
              <TableCell key={head} align={index === 0 ? 'left' : 'right'}>
                {head}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((cells) => (
            <TableRow key={cells.join('\0')}>
              {cells.map((cell, index) => (
                <TableCell
                  key={heads[index]}
                  align={index === 0 ? 'left' : 'right'}
                  {...(index === 0 ? { component: 'th', scope: 'row' } : {})}
                >
                  {cell}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}
