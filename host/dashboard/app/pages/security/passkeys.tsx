import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { hasPasskeys, makePasskey } from '../../api/passkeys.ts';
import { ActionButton } from '../../components/act.tsx';
import { Entries } from '../../components/entries.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Time } from '../../components/values.tsx';
import type { PasskeyList } from '../../records.ts';
import { useApi } from '../../till.ts';

const FIELD = 'tillgate.security.passkey';

export function Passkeys() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['security', 'passkeys'],
    queryFn: ({ signal }) => api.get<PasskeyList>('security/passkeys', {}, signal),
  });
  const add = async ({ name = '' }: Readonly<Record<string, string>>): Promise<void> => {
    const passkey = await makePasskey(await api.post('security/passkeys/options'));
    await api.post('security/passkeys', { name, passkey });
  };
  return (
    <Section title="tillgate.security.passkeys">
      <Entries
        empty="tillgate.security.noPasskeys"
        of={(data?.items ?? []).map((passkey) => ({
          id: passkey.id,
          content: (
            <>
              <Facts
                of={[
                  [`${FIELD}Name`, passkey.name],
                  [`${FIELD}Added`, <Time key="added" value={passkey.created_at} />],
                  [`${FIELD}Used`, <Time key="used" value={passkey.last_used_at} />],
                ]}
              />
              <Box sx={{ display: 'flex', gap: 1, mt: 1 }}>
                <FormDialog
                  size="small"
                  label="tillgate.security.passkeyRename"
                  submit={(body) => api.request('PATCH', `security/passkeys/${passkey.id}`, { body })}
                  fields={[{ name: 'name', label: `${FIELD}Name`, initial: passkey.name }]}
                />
                <ActionButton
                  size="small"
                  color="error"
                  label="tillgate.security.passkeyRemove"
                  confirm
                  work={() => api.request('DELETE', `security/passkeys/${passkey.id}`)}
                />
              </Box>
            </>
          ),
        }))}
      />
      {hasPasskeys() ? (
        <Box sx={{ mt: 1 }}>
          <FormDialog
            label="tillgate.security.passkeyAdd"
            success="tillgate.security.passkeyIsAdded"
            submit={add}
            fields={[{ name: 'name', label: `${FIELD}Name` }]}
          />
        </Box>
      ) : null}
    </Section>
  );
}
