import Alert from '@mui/material/Alert';
import { useTranslate } from 'react-admin';
import { useSearchParams } from 'react-router-dom';
import { DEMANDED } from '../api/demands.ts';

/** True on a page to which the person was redirected because its action is required first. */
export function useDemanded(): boolean {
  const [query] = useSearchParams();
  return query.has(DEMANDED);
}

/** Explains the redirect. @param text - a key of the catalogue */
export function Demanded({ text }: { readonly text: string }) {
  const translate = useTranslate();
  if (!useDemanded()) return null;
  return (
    <Alert severity="info" sx={{ mb: 2 }}>
      {translate(text)}
    </Alert>
  );
}
