import Box from '@mui/material/Box';
import { useRecordContext } from 'react-admin';
import { changesSent, EditForm, EditPage } from '../../components/edit-page.tsx';
import { Facts } from '../../components/facts.tsx';
import type { LinkRecord } from '../../records.ts';
import { LinkTerms, LinkTexts } from './link-fields.tsx';
import { bodyOf, changesOf } from './link-form.ts';
import { LinkFace } from './link-list.tsx';

const FIELD = 'resources.links.fields';
const changes = changesSent(bodyOf, changesOf);

/** Changes a payment link, except its kind and its fiat currency. */
export function LinkEdit() {
  return (
    <EditPage transform={changes}>
      <LinkForm />
    </EditPage>
  );
}

function LinkForm() {
  const link = useRecordContext<LinkRecord>();
  if (link === undefined) return null;
  return (
    <EditForm>
      <Box sx={{ mb: 2 }}>
        <Facts
          of={[
            [`${FIELD}.face`, <LinkFace key="face" face={link.face} />],
            [`${FIELD}.currency`, link.currency],
          ]}
        />
      </Box>
      <LinkTexts />
      <LinkTerms />
    </EditForm>
  );
}
