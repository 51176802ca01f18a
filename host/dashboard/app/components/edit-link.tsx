import EditIcon from '@mui/icons-material/Edit';
import Button from '@mui/material/Button';
import { useCreatePath, useTranslate } from 'react-admin';
import { Link } from 'react-router-dom';

interface EditLinkProps {
  readonly resource: string;
  readonly id: string;
}

/** The button of the form of a record, with its word on every screen. */
export function EditLink({ resource, id }: EditLinkProps) {
  const translate = useTranslate();
  const createPath = useCreatePath();
  return (
    <Button
      variant="outlined"
      startIcon={<EditIcon />}
      component={Link}
      to={createPath({ resource, type: 'edit', id })}
    >
      {translate('ra.action.edit')}
    </Button>
  );
}
