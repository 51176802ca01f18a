import AddIcon from '@mui/icons-material/Add';
import Button from '@mui/material/Button';
import type { ButtonProps } from '@mui/material/Button';
import { useCreatePath, useResourceContext, useTranslate } from 'react-admin';
import { Link } from 'react-router-dom';

/**
 * Opens the form of a new record of the list. It looks the same on every screen: a round button would cover the end of a list
 * on a phone.
 */
export function CreateLink({ variant = 'outlined' }: Pick<ButtonProps, 'variant'>) {
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
