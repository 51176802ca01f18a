import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useListContext, useResourceContext, useResourceDefinition, useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { CreateLink } from './create-link.tsx';

/** The filters with which a list begins. */
export type StartFilter = Readonly<Record<string, unknown>>;

interface NoRecordsProps {
  readonly startFilter?: StartFilter | undefined;
  /** The button of what to do next; that of the form of a new record by default, where there is one. */
  readonly next?: ReactNode;
}

/** The text of an empty list: what its records are for and what to do next, or that the filters match none. */
export function NoRecords({ startFilter = {}, next }: NoRecordsProps) {
  const translate = useTranslate();
  const resource = useResourceContext() ?? '';
  const list = useListContext();
  const { hasCreate } = useResourceDefinition();
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
      ) : (
        (next ?? (hasCreate === true ? <CreateLink variant="contained" /> : null))
      )}
    </Box>
  );
}
