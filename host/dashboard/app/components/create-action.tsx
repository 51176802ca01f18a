import useMediaQuery from '@mui/material/useMediaQuery';
import type { Theme } from '@mui/material/styles';
import { CreateButton, useListContext, useResourceContext } from 'react-admin';

/**
 * The toolbar's button of the form of a new record; on a narrow screen react-admin makes it the round button of the page.
 * On a wide screen an empty list shows `CreateFirst` instead, so that a page has this button once.
 */
export function CreateAction() {
  const narrow = useNarrow();
  const label = useLabel();
  const { data, filterValues } = useListContext();
  const filtered = Object.keys(filterValues as object).length > 0;
  if (!narrow && data?.length === 0 && !filtered) return null;
  return <CreateButton label={label} />;
}

/** The button of the form of a new record under the text of an empty list, on a wide screen. */
export function CreateFirst() {
  const label = useLabel();
  return useNarrow() ? null : <CreateButton variant="contained" label={label} />;
}

const useNarrow = () => useMediaQuery((theme: Theme) => theme.breakpoints.down('md'));

const useLabel = () => `resources.${useResourceContext() ?? ''}.page.create`;
