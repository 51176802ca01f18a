import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { Title, useTranslate } from 'react-admin';
import { Link } from 'react-router-dom';

/** What is shown at an address that no page has. */
export function NotFound() {
  const translate = useTranslate();
  return (
    <Card sx={{ mt: 2, p: 3 }}>
      <Title title="ra.page.not_found" />
      <Typography sx={{ mb: 2 }}>{translate('ra.message.not_found')}</Typography>
      <Button variant="contained" component={Link} to="/">
        {translate('tillgate.menu.overview')}
      </Button>
    </Card>
  );
}
