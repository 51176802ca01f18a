import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useListContext, useResourceContext, useTranslate } from 'react-admin';

/** The filters with which a list begins. */
export type StartFilter = Readonly<Record<string, unknown>>;

/** The text of an empty list: what its records are for, or that the filters match none. */
export function NoRecords({ startFilter = {} }: { readonly startFilter?: StartFilter | undefined }) {
  const translate = useTranslate();
  const resource = useResourceContext() ?? '';
  const list = useListContext();
  const filtered = JSON.stringify(list.filterValues as StartFilter) !== JSON.stringify(startFilter);
  return (
    <Box sx={{ p: 2, display: 'grid', gap: 1, justifyItems: 'start' }}>
      <Typography color="textSecondary" sx={{ maxWidth: '60ch' }}>
        {translate(filtered ? 'tillgate.noMatches' : `resources.${resource}.empty`)}
      </Typography>
      {filtered ? (
        <Button size="small" onClick={() => list.setFilters(startFilter, [])}>
          {translate('ra.navigation.clear_filters')}
        </Button>
      ) : null}
    </Box>
  );
}
