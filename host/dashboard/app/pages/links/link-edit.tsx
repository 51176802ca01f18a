import Box from '@mui/material/Box';
import { Edit, SaveButton, SimpleForm, Toolbar, useRecordContext } from 'react-admin';
import { Facts } from '../../components/facts.tsx';
import type { LinkRecord } from '../../records.ts';
import { LinkTerms, LinkTexts } from './link-fields.tsx';
import { bodyOf, changesOf } from './link-form.ts';
import type { LinkForm } from './link-form.ts';
import { LinkFace } from './link-list.tsx';

const FIELD = 'resources.links.fields';

const changes = (form: LinkForm, former?: { readonly previousData: LinkRecord }) =>
  former === undefined ? bodyOf(form) : changesOf(former.previousData, form);

/** A change of a payment link; its kind and its fiat currency stay. */
export function LinkEdit() {
  return (
    <Edit redirect="show" mutationMode="pessimistic" actions={false} transform={changes}>
      <EditForm />
    </Edit>
  );
}

function EditForm() {
  const link = useRecordContext<LinkRecord>();
  if (link === undefined) return null;
  return (
    <SimpleForm
      toolbar={
        <Toolbar>
          <SaveButton />
        </Toolbar>
      }
    >
      <Box sx={{ mb: 2 }}>
        <Facts
          of={[
            [`${FIELD}.face`, <LinkFace key="face" face={link.face} />],
            [`${FIELD}.vs_currency`, link.vs_currency],
          ]}
        />
      </Box>
      <LinkTexts />
      <LinkTerms />
    </SimpleForm>
  );
}
