import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { SPACE } from '../theme.ts';

const TILES = 4;

/** Stands for a page that is not loaded yet. */
export function PageSkeleton() {
  const translate = useTranslate();
  return (
    <Box role="status" aria-label={translate('ra.page.loading')} sx={{ mt: 2, display: 'grid', gap: 2 }}>
      <Tiles>
        {Array.from({ length: TILES }, (_, index) => (
          <Skeleton key={index} variant="rounded" height={112} />
        ))}
      </Tiles>
      <Skeleton variant="rounded" height={280} />
    </Box>
  );
}

/** Tiles in as many columns as fit. */
export function Tiles({ children }: { readonly children: ReactNode }) {
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: `repeat(auto-fit, minmax(min(100%, ${SPACE.tile}), 1fr))`,
      }}
    >
      {children}
    </Box>
  );
}

/** Stands for the page and its frame, until it is known who is logged in. */
export function FrameSkeleton() {
  return (
    <Box component="main" sx={{ minHeight: '100vh', bgcolor: 'background.default', px: 2, pt: 6 }}>
      <PageSkeleton />
    </Box>
  );
}
