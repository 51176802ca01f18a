import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslate } from 'react-admin';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { FigureTable } from './figure-table.tsx';
import type { FigureTableProps } from './figure-table.tsx';

interface FigureProps {
  readonly children: ReactNode;
  /** The same figures as a table. */
  readonly table: FigureTableProps;
}

/** A chart with an optional table of its figures. */
export function Figure({ children, table }: FigureProps) {
  const translate = useTranslate();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <Box component="figure" sx={{ m: 0 }}>
      {children}
      <Button size="small" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)} sx={{ mt: 1 }}>
        {translate(open ? 'tillgate.chart.hideTable' : 'tillgate.chart.showTable')}
      </Button>
      <div id={id}>{open ? <FigureTable {...table} /> : null}</div>
    </Box>
  );
}
