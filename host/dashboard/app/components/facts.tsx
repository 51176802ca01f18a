import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import CardContent from '@mui/material/CardContent';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import type { ReactNode } from 'react';

/** A titled part of a page. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const translate = useTranslate();
  return (
    <Card component="section" sx={{ mb: 2 }}>
      <CardContent>
        <Typography variant="h2" sx={{ mb: 1.5 }}>
          {translate(title, { _: title, smart_count: 2 })}
        </Typography>
        {children}
      </CardContent>
    </Card>
  );
}

interface FactsProps {
  readonly of: readonly (readonly [label: string, value: ReactNode])[];
  /** Whether each has a line of its own, as long texts need. */
  readonly wide?: boolean;
}

/** Names and values. An absent value is omitted with its name. */
export function Facts({ of, wide = false }: FactsProps) {
  const translate = useTranslate();
  const shown = of.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: {
          xs: 'minmax(0, 1fr)',
          ...(wide ? {} : { sm: 'repeat(auto-fill, minmax(min(100%, 18rem), 1fr))' }),
        },
      }}
    >
      {shown.map(([label, value]) => (
        <div key={label}>
          <Typography component="dt" variant="body2" color="textSecondary">
            {translate(label, { _: label })}
          </Typography>
          <Box component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
            {value}
          </Box>
        </div>
      ))}
    </Box>
  );
}
