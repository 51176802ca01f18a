import ExpandMoreIcon from '@mui/icons-material/ExpandMore';
import Accordion from '@mui/material/Accordion';
import AccordionDetails from '@mui/material/AccordionDetails';
import AccordionSummary from '@mui/material/AccordionSummary';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';

interface MoreOptionsProps {
  /** The names of the fields: the part is open where one of them is filled or wrong. */
  readonly of: readonly string[];
  readonly children: ReactNode;
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

/** The fields of a form that few need, folded until somebody asks for them. They keep their values while folded. */
export function MoreOptions({ of, children }: MoreOptionsProps) {
  const translate = useTranslate();
  const { getValues, formState } = useFormContext();
  const [opened, setOpened] = useState(() => of.some((name) => isFilled(getValues(name))));
  const wrong = of.some((name) => name in formState.errors);
  return (
    <Accordion
      expanded={opened || wrong}
      onChange={(_event, expanded) => setOpened(expanded)}
      disableGutters
      elevation={0}
      slotProps={{ heading: { component: 'div' } }}
      sx={{ width: '100%', mb: 2, '&::before': { display: 'none' } }}
    >
      <AccordionSummary expandIcon={<ExpandMoreIcon />} sx={{ px: 0 }}>
        {translate('tillgate.moreOptions')}
      </AccordionSummary>
      <AccordionDetails sx={{ px: 0, display: 'flex', flexDirection: 'column', alignItems: 'stretch' }}>
        {children}
      </AccordionDetails>
    </Accordion>
  );
}
