import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import type { ReactNode } from 'react';

interface EntriesProps {
  readonly of: readonly { readonly id: string; readonly content: ReactNode }[];
  /** A key of the catalogue, for a list that may be empty. */
  readonly empty?: string;
}

export function Entries({ of, empty }: EntriesProps) {
  const translate = useTranslate();
  if (of.length === 0 && empty !== undefined) return <Typography color="textSecondary">{translate(empty)}</Typography>;
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {of.map(({ id, content }) => (
        <Box component="li" key={id} sx={{ py: 1.5, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
          {content}
        </Box>
      ))}
    </Box>
  );
}
