import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import {
  ArrayInput,
  BooleanInput,
  NumberInput,
  SelectInput,
  SimpleFormIterator,
  TextInput,
  required,
  useTranslate,
} from 'react-admin';
import type { ReactNode } from 'react';
import { ADMISSION_MODES, SUBSCRIPTION_MODES } from '../../../../../core/gateway/route.ts';
import type { GatewayItem } from '../../operator-records.ts';

const KEY = 'resources.gateways';
const PROTOCOLS: readonly GatewayItem['protocol'][] = ['jsonrpc', 'http', 'websocket'];
const choicesOf = (words: readonly string[]) => words.map((id) => ({ id, name: `${KEY}.words.${id}` }));

/** A group of fields, side by side where there is room. */
function Fields({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const translate = useTranslate();
  return (
    <Box component="fieldset" sx={{ border: 0, m: 0, p: 0, mt: 2, minWidth: 0, width: '100%' }}>
      <Typography component="legend" variant="h2" sx={{ mb: 1, p: 0 }}>
        {translate(title)}
      </Typography>
      <Box
        sx={{
          display: 'grid',
          columnGap: 2,
          gridTemplateColumns: {
            xs: 'minmax(0, 1fr)',
            sm: 'repeat(2, minmax(0, 1fr))',
            md: 'repeat(3, minmax(0, 1fr))',
          },
        }}
      >
        {children}
      </Box>
    </Box>
  );
}

/** The gateway's identity and its nodes. */
export function GatewayFields() {
  return (
    <>
      <Fields title={`${KEY}.about`}>
        <TextInput source="host" validate={required()} helperText={`${KEY}.hostHelp`} />
        <TextInput source="chain" validate={required()} helperText={false} />
        <TextInput source="network" validate={required()} helperText={false} />
        <SelectInput source="protocol" validate={required()} choices={choicesOf(PROTOCOLS)} helperText={false} />
        <SelectInput source="admission" validate={required()} choices={choicesOf(ADMISSION_MODES)} helperText={false} />
        <BooleanInput source="enabled" helperText={false} />
      </Fields>
      <Box sx={{ mt: 2, width: '100%' }}>
        <ArrayInput source="upstreams" helperText={`${KEY}.upstreamsHelp`}>
          <SimpleFormIterator inline disableReordering disableClear fullWidth>
            <TextInput source="url" label={`${KEY}.fields.url`} validate={required()} helperText={false} />
            <TextInput source="headers" label={`${KEY}.fields.headers`} multiline helperText={`${KEY}.headersHelp`} />
          </SimpleFormIterator>
        </ArrayInput>
      </Box>
    </>
  );
}

/** The fields that have defaults, which the form of a new gateway omits. */
export function GatewayOptions() {
  return (
    <>
      <Fields title={`${KEY}.rules`}>
        <TextInput source="methods.allow" multiline helperText={`${KEY}.allowHelp`} />
        <TextInput source="methods.deny" multiline helperText={`${KEY}.linesHelp`} />
        <TextInput source="cors.origins" multiline helperText={`${KEY}.originsHelp`} />
        <TextInput source="units" multiline helperText={`${KEY}.unitsHelp`} />
        <TextInput source="plans" multiline helperText={`${KEY}.plansHelp`} />
        <NumberInput source="reads.head_lag_blocks" helperText={`${KEY}.headLagHelp`} />
        <NumberInput source="reads.logs.max_range" helperText={`${KEY}.noneHelp`} />
        <NumberInput source="reads.logs.split_into" helperText={`${KEY}.splitHelp`} />
        <NumberInput source="reads.logs.max_results" helperText={false} />
        <BooleanInput source="reads.monotonic" helperText={false} />
        <BooleanInput source="reads.dedupe" helperText={false} />
        <BooleanInput source="reads.cache" helperText={false} />
        <SelectInput
          source="reads.subscriptions"
          validate={required()}
          choices={choicesOf(SUBSCRIPTION_MODES)}
          helperText={`${KEY}.subscriptionsHelp`}
        />
      </Fields>
      <Fields title={`${KEY}.limits`}>
        <NumberInput source="limits.requests_per_second" helperText={`${KEY}.noneHelp`} />
        <NumberInput source="limits.burst" helperText={`${KEY}.noneHelp`} />
        <NumberInput source="limits.concurrency" helperText={`${KEY}.noneHelp`} />
        <TextInput source="limits.methods" multiline helperText={`${KEY}.ratesHelp`} />
        <NumberInput source="timeouts.connect_ms" helperText={false} />
        <NumberInput source="timeouts.first_byte_ms" helperText={false} />
        <NumberInput source="timeouts.idle_ms" helperText={false} />
        <NumberInput source="max_body_bytes" helperText={false} />
        <NumberInput source="max_batch" helperText={false} />
      </Fields>
    </>
  );
}
