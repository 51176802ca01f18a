import AddIcon from '@mui/icons-material/Add';
import Button from '@mui/material/Button';
import type { ButtonProps } from '@mui/material/Button';
import { useCreatePath, useListContext, useResourceContext, useTranslate } from 'react-admin';
import { Link } from 'react-router-dom';

/**
 * The toolbar's button of the form of a new record. An empty list shows `CreateFirst` instead, so that a page has this button
 * once.
 */
export function CreateAction() {
  const { data, filterValues } = useListContext();
  const filtered = Object.keys(filterValues as object).length > 0;
  return data?.length === 0 && !filtered ? null : <CreateLink variant="outlined" />;
}

/** The button of the form of a new record under the text of an empty list. */
export function CreateFirst() {
  return <CreateLink variant="contained" />;
}

/** It looks the same on every screen: a round button would cover the end of a list on a phone. */
function CreateLink({ variant }: Pick<ButtonProps, 'variant'>) {
  const translate = useTranslate();
  const createPath = useCreatePath();
  const resource = useResourceContext() ?? '';
  return (
    <Button
      variant={variant}
      size="small"
      startIcon={<AddIcon />}
      component={Link}
      to={createPath({ resource, type: 'create' })}
    >
      {translate(`resources.${resource}.page.create`)}
    </Button>
  );
}
