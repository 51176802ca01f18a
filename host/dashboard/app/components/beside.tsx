import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

interface BesideProps {
  readonly children: ReactNode;
  /** What stands beside the fields on a wide screen, and below them on a narrow one. */
  readonly beside?: ReactNode;
  /** Whether the fields stand in columns, which need more room. */
  readonly wide?: boolean;
}

/** The fields of a form at a width that reads well, with something beside them. */
export function Beside({ children, beside, wide = false }: BesideProps) {
  return (
    <Box
      sx={{
        width: '100%',
        display: 'grid',
        gap: 4,
        alignItems: 'start',
        gridTemplateColumns: {
          xs: 'minmax(0, 1fr)',
          lg: wide ? 'minmax(0, 64rem)' : 'minmax(0, 36rem) minmax(0, 24rem)',
        },
      }}
    >
      <Box sx={{ display: 'flex', flexDirection: 'column', minWidth: 0 }}>{children}</Box>
      {beside}
    </Box>
  );
}
