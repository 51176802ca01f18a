import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { StatusChip } from './chips.tsx';

interface SwitchRowProps {
  /** A key of the catalogue; `<key>Caption` says what the switch does. */
  readonly name: string;
  readonly on: boolean;
  /** A state that passes, below the caption. */
  readonly note?: string | null;
  /** The button that changes it. */
  readonly children: ReactNode;
}

/** Something that is on or off: its name and state, what it does, and the button that changes it. */
export function SwitchRow({ name, on, note = null, children }: SwitchRowProps) {
  const translate = useTranslate();
  const id = useId();
  return (
    <Box
      role="group"
      aria-labelledby={id}
      sx={{
        display: 'flex',
        flexDirection: { xs: 'column', sm: 'row' },
        alignItems: { xs: 'flex-start', sm: 'center' },
        columnGap: 3,
        rowGap: 1,
        py: 1.5,
        '& + &': { borderTop: 1, borderColor: 'divider' },
      }}
    >
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, rowGap: 0.5 }}>
          <Typography component="h3" variant="subtitle1" id={id}>
            {translate(name)}
          </Typography>
          <StatusChip status={on ? 'ENABLED' : 'DISABLED'} />
        </Box>
        <Typography variant="body2" color="textSecondary" sx={{ maxWidth: '60ch' }}>
          {translate(`${name}Caption`)}
        </Typography>
        {note === null ? null : (
          <Typography variant="body2" role="status" sx={{ mt: 0.5 }}>
            {note}
          </Typography>
        )}
      </Box>
      {children}
    </Box>
  );
}
