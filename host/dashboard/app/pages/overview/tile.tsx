import Card from '@mui/material/Card';
import CardActionArea from '@mui/material/CardActionArea';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { TYPE } from '../../theme.ts';

interface TileProps {
  /** A key of the catalogue. */
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  /** The page that says more. */
  readonly to: string;
  /** Whether somebody has to act. */
  readonly tone?: 'calm' | 'warning' | 'error';
}

/** One number of the first page, which leads to its own page. */
export function Tile({ label, value, note, to, tone = 'calm' }: TileProps) {
  const translate = useTranslate();
  return (
    <Card sx={{ height: '100%', ...(tone === 'calm' ? {} : { borderColor: `${tone}.main`, borderWidth: 2 }) }}>
      <CardActionArea component={Link} to={to} sx={{ height: '100%', p: 2, display: 'block' }}>
        <Typography component="span" variant="body2" color="textSecondary" sx={{ display: 'block' }}>
          {translate(label)}
        </Typography>
        <Typography
          component="span"
          sx={{
            display: 'block',
            fontSize: { xs: TYPE.part, sm: TYPE.figure },
            fontWeight: 600,
            lineHeight: 1.3,
            fontVariantNumeric: 'tabular-nums',
            overflowWrap: 'anywhere',
            color: tone === 'calm' ? 'text.primary' : `${tone}.main`,
          }}
        >
          {value}
        </Typography>
        <Typography component="span" variant="body2" color="textSecondary" sx={{ display: 'block' }}>
          {note}
        </Typography>
      </CardActionArea>
    </Card>
  );
}
