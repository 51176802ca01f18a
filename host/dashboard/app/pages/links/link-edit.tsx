import Box from '@mui/material/Box';
import { useRecordContext } from 'react-admin';
import { changesSent, EditForm, EditPage } from '../../components/edit-page.tsx';
import { Facts } from '../../components/facts.tsx';
import type { LinkRecord } from '../../records.ts';
import { useLinkAmounts } from './link-amounts.ts';
import { LinkItems, LinkPriceField, LinkTerms, LinkTexts } from './link-fields.tsx';
import { bodyOf, changesOf } from './link-form.ts';
import { LinkFace } from './link-list.tsx';
import { LinkPreview } from './link-preview.tsx';

const FIELD = 'resources.links.fields';
const changes = changesSent(bodyOf, changesOf);

/** Changes a payment link, except its kind and its fiat currency. */
export function LinkEdit() {
  const amounts = useLinkAmounts();
  return (
    <EditPage transform={(form: LinkRecord, former) => changes(amounts.read(form), former)}>
      <LinkForm />
    </EditPage>
  );
}

function LinkForm() {
  const link = useRecordContext<LinkRecord>();
  const amounts = useLinkAmounts();
  if (link === undefined) return null;
  return (
    <EditForm record={amounts.written(link)} beside={<LinkPreview />}>
      <Box sx={{ mb: 2 }}>
        <Facts
          of={[
            [`${FIELD}.face`, <LinkFace key="face" face={link.face} />],
            [`${FIELD}.currency`, link.currency],
          ]}
        />
      </Box>
      <LinkTexts />
      <LinkItems />
      <LinkPriceField />
      <LinkTerms />
    </EditForm>
  );
}
